export type { ReportedAgentError, ReportedAgentErrors, ReportOutcome } from './agent-error-reports.ts';
export { type Client, createClient } from './client.ts';
export { MusterAnswerError, MusterConnectionError, MusterError, MusterTimeoutError } from './errors.ts';
export * from './generated/operations.gen.ts';
export type { OperationProblems, ProblemCode } from './generated/problem-codes.gen.ts';
export type * from './generated/schemas.gen.ts';
export type { CallOptions, ClientOptions, Credential, Retry, RetryOptions } from './options.ts';
export type { Page, PagedList } from './paged-list.ts';
export type { Fetch, Signal } from './platform.ts';
