// Generated from the OpenAPI document by 'npm run client': change the contract, not this file.
import { report, type ReportedAgentError, type ReportedAgentErrors } from '../agent-error-reports.ts';
import { call } from '../call.ts';
import type { Client } from '../client.ts';
import type { CallOptions } from '../options.ts';
import { list, type PagedList } from '../paged-list.ts';
import type {
  AcceptInvitation,
  AcceptedInvitation,
  AccessToken,
  AddMember,
  Agent,
  AgentConfig,
  AgentConfigChange,
  AgentConfigDiff,
  AgentError,
  AgentErrorGroup,
  AgentErrorGroupAgent,
  AgentErrorGroupHistory,
  AgentErrorGroupOrigin,
  AgentErrorGroupTrends,
  AgentErrorResult,
  AgentWithConfig,
  AlertChannel,
  AlertDelivery,
  AlertRule,
  AlertRulePreview,
  AppliedProvisioning,
  ApplyProvisioning,
  Arrival,
  ArrivingRows,
  AuditChain,
  AuditEntry,
  BeginArrival,
  BeginStage,
  CoreInstance,
  CoreInstanceBatch,
  CoreInstanceBatchResult,
  CoreInstanceWithToken,
  CreateAccessToken,
  CreateAgentError,
  CreateAlertChannel,
  CreateAlertRule,
  CreateCoreInstance,
  CreateDismissal,
  CreateFleet,
  CreateFleetFile,
  CreateFleetVersion,
  CreateInvitation,
  CreateProject,
  CreateToken,
  CreatedAlertChannel,
  CreatedFleet,
  CreatedFleetFile,
  CreatedInvitation,
  CreatedMetrics,
  CreatedProject,
  DeletedAgents,
  DeletedFleet,
  DepartProject,
  DepartingRows,
  Departure,
  DismissAgentError,
  Dismissal,
  DismissalPreview,
  DismissedAgentError,
  FinishArrival,
  Fleet,
  FleetFile,
  FleetSecrets,
  FleetVariable,
  FleetVersion,
  FleetVersionCounts,
  FleetVersionDiff,
  FleetVersionWithConfig,
  FleetsStatus,
  FreezeWindows,
  Invitation,
  Liveness,
  Me,
  Member,
  MoveAgents,
  MovedAgents,
  MuteAgentErrorGroup,
  Problem,
  Project,
  ProjectHistory,
  ProjectSummary,
  ProjectWithUsage,
  ReadDepartingRows,
  Readiness,
  ReceivedLeaks,
  RegisterAgent,
  RegisteredAgent,
  RemovedMember,
  ReportedFleets,
  RevokeToken,
  Rollout,
  RolloutAgent,
  RolloutReason,
  RotateAlertChannel,
  RotateCoreInstance,
  RotateToken,
  RotatedAlertChannel,
  SearchResult,
  SendHeartbeat,
  Session,
  SignInLink,
  SignUp,
  SignedUp,
  SiteCredentials,
  SiteFleetContent,
  SiteFleets,
  StartRollout,
  StartedRollout,
  Token,
  TokenLeak,
  TokenUsage,
  UpdateAgent,
  UpdateAgentErrorGroups,
  UpdateAlertChannel,
  UpdateAlertRule,
  UpdateCoreInstance,
  UpdateFleet,
  UpdateFleetFile,
  UpdateFleetSecrets,
  UpdateFleetVariables,
  UpdateFreezeWindows,
  UpdateMember,
  UpdateProject,
  UpdateToken,
  UpdatedFleet,
  UpdatedFleetValues,
  User,
  ValidateFleetConfig,
  ValidatedFleetConfig,
  WriteArrivingRows,
} from './schemas.gen.ts';

/**
 * What listTokens takes.
 *
 * @example
 * ```ts
 * const input: ListTokensInput = { projectID };
 * for await (const token of listTokens(client, input)) console.log(token.id);
 * ```
 */
export interface ListTokensInput {
  /** The project. */
  readonly projectID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
  /** Only tokens with exactly this name; `*` matches any run of characters (`ci-*`). */
  readonly name?: string | undefined;
  /** Only tokens in this state. */
  readonly status?: 'active' | 'expiring' | 'expired' | 'revoked' | 'all' | undefined;
  /** createdAt: the newest first. expiresAt: only tokens that expire, the soonest first. Absent: createdAt. */
  readonly sort?: 'createdAt' | 'expiresAt' | undefined;
}

/**
 * List tokens of a project.
 *
 * Newest first unless `sort` asks for another order. Only active and expiring tokens unless `status` asks for others. Needs `read:token`.
 *
 * It is `GET /v1/projects/{projectID}/tokens`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listTokens']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const token of listTokens(client, { projectID })) console.log(token.id);
 * ```
 */
export function listTokens(client: Client, input: ListTokensInput, options?: CallOptions): PagedList<Token> {
  return list(client, { id: 'listTokens', method: 'GET', path: '/v1/projects/{projectID}/tokens', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What createToken takes.
 *
 * @example
 * ```ts
 * const input: CreateTokenInput = { projectID, body: { name: 'ci-deploy', permissions: ['create:*'], allowedNetworks: null } };
 * const token = await createToken(client, input);
 * console.log(token.id);
 * ```
 */
export interface CreateTokenInput {
  /** The project. */
  readonly projectID: string;
  readonly body: CreateToken;
}

/**
 * Create a token in a project.
 *
 * Only this answer contains the value. A project token can grant only permissions that it holds, to a token that expires no later than itself: without `expiresAt` the new token expires together with its creator. The networks and the reports per second of a token limit the tokens that it created, too. Needs `create:token`.
 *
 * It is `POST /v1/projects/{projectID}/tokens`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['createToken']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const token = await createToken(client, { projectID, body: { name: 'ci-deploy', permissions: ['create:*'], allowedNetworks: null } });
 * console.log(token.id);
 * ```
 */
export function createToken(client: Client, input: CreateTokenInput, options?: CallOptions): Promise<Token> {
  return call(client, { id: 'createToken', method: 'POST', path: '/v1/projects/{projectID}/tokens', status: 201, answers: 'json', repeatable: false }, input, options);
}

/**
 * What getToken takes.
 *
 * @example
 * ```ts
 * const input: GetTokenInput = { tokenID };
 * const token = await getToken(client, input);
 * console.log(token.id);
 * ```
 */
export interface GetTokenInput {
  /** The token. */
  readonly tokenID: string;
}

/**
 * Get a token. Needs `read:token`.
 *
 * It is `GET /v1/project_tokens/{tokenID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getToken']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const token = await getToken(client, { tokenID });
 * console.log(token.id);
 * ```
 */
export function getToken(client: Client, input: GetTokenInput, options?: CallOptions): Promise<Token> {
  return call(client, { id: 'getToken', method: 'GET', path: '/v1/project_tokens/{tokenID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What updateToken takes.
 *
 * @example
 * ```ts
 * const input: UpdateTokenInput = { tokenID, body: { name: 'ci-deploy', permissions: ['create:*'] } };
 * const token = await updateToken(client, input);
 * console.log(token.id);
 * ```
 */
export interface UpdateTokenInput {
  /** The token. */
  readonly tokenID: string;
  readonly body: UpdateToken;
}

/**
 * Update a token.
 *
 * Absent fields stay as they are. The change applies to every request that starts after the answer. An earlier `expiresAt` also applies to the tokens that this token created, and those tokens can do no more than this one. A project token can widen another token only by permissions that it holds and to an expiry no later than its own; that token is then revoked together with it, as if it had created it. Only an access token can change `allowedNetworks` and `reportsPerSecond`. Needs `update:token`.
 *
 * It is `PATCH /v1/project_tokens/{tokenID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['updateToken']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const token = await updateToken(client, { tokenID, body: { name: 'ci-deploy', permissions: ['create:*'] } });
 * console.log(token.id);
 * ```
 */
export function updateToken(client: Client, input: UpdateTokenInput, options?: CallOptions): Promise<Token> {
  return call(client, { id: 'updateToken', method: 'PATCH', path: '/v1/project_tokens/{tokenID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What revokeToken takes.
 *
 * @example
 * ```ts
 * const input: RevokeTokenInput = { tokenID };
 * await revokeToken(client, input);
 * ```
 */
export interface RevokeTokenInput {
  /** The token. */
  readonly tokenID: string;
}

/**
 * Revoke a token.
 *
 * Applies to every request that starts after the answer, and to every token that this token created. Repeating the request gives the same answer. Needs `delete:token`.
 *
 * It is `DELETE /v1/project_tokens/{tokenID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['revokeToken']`; MusterConnectionError
 *
 * @example
 * ```ts
 * await revokeToken(client, { tokenID });
 * ```
 */
export function revokeToken(client: Client, input: RevokeTokenInput, options?: CallOptions): Promise<void> {
  return call(client, { id: 'revokeToken', method: 'DELETE', path: '/v1/project_tokens/{tokenID}', status: 204, answers: 'nothing', repeatable: true }, input, options);
}

/**
 * What getTokenUsage takes.
 *
 * @example
 * ```ts
 * const input: GetTokenUsageInput = { tokenID };
 * const tokenUsage = await getTokenUsage(client, input);
 * console.log(tokenUsage.lastUsedAt);
 * ```
 */
export interface GetTokenUsageInput {
  /** The token. */
  readonly tokenID: string;
}

/**
 * Get the usage of a token.
 *
 * Written every five seconds by each replica; this replica writes its own part before it answers. Needs `read:token`.
 *
 * It is `GET /v1/project_tokens/{tokenID}/usage`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getTokenUsage']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const tokenUsage = await getTokenUsage(client, { tokenID });
 * console.log(tokenUsage.lastUsedAt);
 * ```
 */
export function getTokenUsage(client: Client, input: GetTokenUsageInput, options?: CallOptions): Promise<TokenUsage> {
  return call(client, { id: 'getTokenUsage', method: 'GET', path: '/v1/project_tokens/{tokenID}/usage', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What rotateToken takes.
 *
 * @example
 * ```ts
 * const input: RotateTokenInput = { tokenID, body: { graceSeconds: 86400 } };
 * const token = await rotateToken(client, input);
 * console.log(token.id);
 * ```
 */
export interface RotateTokenInput {
  /** The token. */
  readonly tokenID: string;
  readonly body: RotateToken;
}

/**
 * Rotate a token.
 *
 * Gives the token a new value, which only this answer contains. Everything else stays, including its id and expiry. With `graceSeconds`, the earlier value is accepted beside the new one for that time; with `retireOnUse`, until the new one is used for the first time, on any replica; with both, until the first of the two. Without both, all earlier values end at once. If the answer is lost, the same request with the same `Idempotency-Key` and the same credential gives the same value again, for an hour, until that value is used. A project token can rotate another one only if it holds all permissions of that token and expires no earlier; that token is then revoked together with it and can do no more than it, as if it had created it. Needs `update:token`.
 *
 * It is `POST /v1/project_tokens/{tokenID}/rotate`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['rotateToken']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const token = await rotateToken(client, { tokenID, body: { graceSeconds: 86400 } });
 * console.log(token.id);
 * ```
 */
export function rotateToken(client: Client, input: RotateTokenInput, options?: CallOptions): Promise<Token> {
  return call(client, { id: 'rotateToken', method: 'POST', path: '/v1/project_tokens/{tokenID}/rotate', status: 200, answers: 'json', repeatable: true, takesIdempotencyKey: true }, input, options);
}

/**
 * What getOwnToken takes.
 *
 * @example
 * ```ts
 * const input: GetOwnTokenInput = {};
 * const token = await getOwnToken(client, input);
 * console.log(token.id);
 * ```
 */
export type GetOwnTokenInput = Readonly<Record<string, never>>;

/**
 * Get the token of the request.
 *
 * It is `GET /v1/project_tokens/self`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getOwnToken']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const token = await getOwnToken(client);
 * console.log(token.id);
 * ```
 */
export function getOwnToken(client: Client, input: GetOwnTokenInput = {}, options?: CallOptions): Promise<Token> {
  return call(client, { id: 'getOwnToken', method: 'GET', path: '/v1/project_tokens/self', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What rotateOwnToken takes.
 *
 * @example
 * ```ts
 * const input: RotateOwnTokenInput = { body: { graceSeconds: 86400 } };
 * const token = await rotateOwnToken(client, input);
 * console.log(token.id);
 * ```
 */
export interface RotateOwnTokenInput {
  readonly body: RotateToken;
}

/**
 * Rotate the token of the request.
 *
 * Gives the token a new value, which only this answer contains. Everything else stays, including its id and expiry. With `graceSeconds`, the earlier value is accepted beside the new one for that time; with `retireOnUse`, until the new one is used for the first time, on any replica; with both, until the first of the two. Without both, `retireOnUse` is true, so that a lost answer locks nobody out. If the answer is lost, the same request with the same `Idempotency-Key` and the same credential gives the same value again, for an hour, until that value is used. A value in its grace gets no new one, which would last longer. Needs `update:own_token`.
 *
 * It is `POST /v1/project_tokens/self/rotate`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['rotateOwnToken']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const token = await rotateOwnToken(client, { body: { graceSeconds: 86400 } });
 * console.log(token.id);
 * ```
 */
export function rotateOwnToken(client: Client, input: RotateOwnTokenInput, options?: CallOptions): Promise<Token> {
  return call(client, { id: 'rotateOwnToken', method: 'POST', path: '/v1/project_tokens/self/rotate', status: 200, answers: 'json', repeatable: true, takesIdempotencyKey: true }, input, options);
}

/**
 * What revokeTokenWithReason takes.
 *
 * @example
 * ```ts
 * const input: RevokeTokenWithReasonInput = { tokenID, body: { reason: 'Found in a public repository' } };
 * const token = await revokeTokenWithReason(client, input);
 * console.log(token.id);
 * ```
 */
export interface RevokeTokenWithReasonInput {
  /** The token. */
  readonly tokenID: string;
  readonly body: RevokeToken;
}

/**
 * Revoke a token with a reason, or together with its agents.
 *
 * As `DELETE`, which gives no reason and keeps the agents. With `revokeAgents`, which needs `delete:agent` too, the agents that registered with the token, or with one that it created, are refused from then on. Repeating the request keeps the first reason. Needs `delete:token`.
 *
 * It is `POST /v1/project_tokens/{tokenID}/revoke`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['revokeTokenWithReason']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const token = await revokeTokenWithReason(client, { tokenID, body: { reason: 'Found in a public repository' } });
 * console.log(token.id);
 * ```
 */
export function revokeTokenWithReason(client: Client, input: RevokeTokenWithReasonInput, options?: CallOptions): Promise<Token> {
  return call(client, { id: 'revokeTokenWithReason', method: 'POST', path: '/v1/project_tokens/{tokenID}/revoke', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What reportTokenLeaks takes.
 *
 * @example
 * ```ts
 * const input: ReportTokenLeaksInput = { body: [{ token: 'the whole value' }] };
 * const receivedLeaks = await reportTokenLeaks(client, input);
 * console.log(receivedLeaks.received);
 * ```
 */
export interface ReportTokenLeaksInput {
  readonly body: readonly TokenLeak[];
}

/**
 * Report credentials that were found in public.
 *
 * Needs no credential: who has a value could do worse with it. Project tokens, access tokens and agent tokens are taken, also values from before a rotation that are still accepted. What is valid is revoked within a moment of the answer, or only told to people of the project (MUSTER_LEAKED_TOKENS). Codes of invitations, sessions and sign-in links are always ended. The answer does not say whether a value is valid.
 *
 * It is `POST /v1/token_leaks`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['reportTokenLeaks']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const receivedLeaks = await reportTokenLeaks(client, { body: [{ token: 'the whole value' }] });
 * console.log(receivedLeaks.received);
 * ```
 */
export function reportTokenLeaks(client: Client, input: ReportTokenLeaksInput, options?: CallOptions): Promise<ReceivedLeaks> {
  return call(client, { id: 'reportTokenLeaks', method: 'POST', path: '/v1/token_leaks', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What createAgentError takes.
 *
 * @example
 * ```ts
 * const input: CreateAgentErrorInput = { agentID, body: { error: '[output:es:es.0] HTTP status=401 URI=/_bulk' } };
 * const { outcome } = await createAgentError(client, input);
 * console.log(outcome);
 * ```
 */
export interface CreateAgentErrorInput {
  /** The agent. */
  readonly agentID: string;
  /** true: a text longer than 1024 code points is cut to 1023 and `…` instead of refused. */
  readonly truncate?: boolean | undefined;
  readonly body: CreateAgentError | readonly CreateAgentError[];
}

/**
 * Report an error of an agent.
 *
 * One error, or an array of up to 1000. A report whose text equals that of an open error of the same agent and configuration is ignored and counted. One invalid element refuses the whole request, unless `partial=true`. Other fields are ignored. The body may be compressed (`Content-Encoding: gzip`); the limits apply to what is in it. Needs `create:agent_error`.
 *
 * It is `POST /v1/agents/{agentID}/errors`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['createAgentError']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const { outcome } = await createAgentError(client, { agentID, body: { error: '[output:es:es.0] HTTP status=401 URI=/_bulk' } });
 * console.log(outcome);
 * ```
 */
export function createAgentError(client: Client, input: CreateAgentErrorInput & { readonly body: CreateAgentError }, options?: CallOptions): Promise<ReportedAgentError>;
export function createAgentError(client: Client, input: CreateAgentErrorInput & { readonly body: readonly CreateAgentError[] }, options?: CallOptions): Promise<ReportedAgentErrors>;
export function createAgentError(client: Client, input: CreateAgentErrorInput, options?: CallOptions): Promise<ReportedAgentError | ReportedAgentErrors>;
export function createAgentError(client: Client, input: CreateAgentErrorInput, options?: CallOptions): Promise<ReportedAgentError | ReportedAgentErrors> {
  return report(client, { id: 'createAgentError', method: 'POST', path: '/v1/agents/{agentID}/errors', status: 201, answers: 'json', repeatable: true }, input, options);
}

/**
 * What listAgentErrors takes.
 *
 * @example
 * ```ts
 * const input: ListAgentErrorsInput = { agentID };
 * for await (const agentError of listAgentErrors(client, input)) console.log(agentError.id);
 * ```
 */
export interface ListAgentErrorsInput {
  /** The agent. */
  readonly agentID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
  /** true: only dismissed errors. false: only open ones. Absent: both. */
  readonly dismissed?: boolean | undefined;
  /** true: only errors of the configuration that their agent still has. false: only errors of earlier configurations. Absent: both. */
  readonly current?: boolean | undefined;
}

/**
 * List errors of an agent.
 *
 * Newest first. Needs `read:agent_error`.
 *
 * It is `GET /v1/agents/{agentID}/errors`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listAgentErrors']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const agentError of listAgentErrors(client, { agentID })) console.log(agentError.id);
 * ```
 */
export function listAgentErrors(client: Client, input: ListAgentErrorsInput, options?: CallOptions): PagedList<AgentError> {
  return list(client, { id: 'listAgentErrors', method: 'GET', path: '/v1/agents/{agentID}/errors', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What createMachineError takes.
 *
 * @example
 * ```ts
 * const input: CreateMachineErrorInput = { machineID: 'web-01', body: { error: '[output:es:es.0] HTTP status=401 URI=/_bulk' } };
 * const { outcome } = await createMachineError(client, input);
 * console.log(outcome);
 * ```
 */
export interface CreateMachineErrorInput {
  /** Identifies the host, for example its host name. */
  readonly machineID: string;
  /** true: a text longer than 1024 code points is cut to 1023 and `…` instead of refused. */
  readonly truncate?: boolean | undefined;
  /** Name of the agent if this request registers it. Absent: the machine id. */
  readonly name?: string | undefined;
  readonly body: CreateAgentError | readonly CreateAgentError[];
}

/**
 * Report an error by machine id.
 *
 * Reports errors for the project's agent with this machine id. An unknown machine id is registered as a new agent, so one configuration file serves a whole fleet. One error, or an array of up to 1000, in the same forms. Needs `create:agent_error` and `create:agent`.
 *
 * It is `POST /v1/machines/{machineID}/errors`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['createMachineError']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const { outcome } = await createMachineError(client, { machineID: 'web-01', body: { error: '[output:es:es.0] HTTP status=401 URI=/_bulk' } });
 * console.log(outcome);
 * ```
 */
export function createMachineError(client: Client, input: CreateMachineErrorInput & { readonly body: CreateAgentError }, options?: CallOptions): Promise<ReportedAgentError>;
export function createMachineError(client: Client, input: CreateMachineErrorInput & { readonly body: readonly CreateAgentError[] }, options?: CallOptions): Promise<ReportedAgentErrors>;
export function createMachineError(client: Client, input: CreateMachineErrorInput, options?: CallOptions): Promise<ReportedAgentError | ReportedAgentErrors>;
export function createMachineError(client: Client, input: CreateMachineErrorInput, options?: CallOptions): Promise<ReportedAgentError | ReportedAgentErrors> {
  return report(client, { id: 'createMachineError', method: 'POST', path: '/v1/machines/{machineID}/errors', status: 201, answers: 'json', repeatable: true }, input, options);
}

/**
 * What listProjectErrors takes.
 *
 * @example
 * ```ts
 * const input: ListProjectErrorsInput = { projectID };
 * for await (const agentError of listProjectErrors(client, input)) console.log(agentError.id);
 * ```
 */
export interface ListProjectErrorsInput {
  /** The project. */
  readonly projectID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
  /** true: only dismissed errors. false: only open ones. Absent: both. */
  readonly dismissed?: boolean | undefined;
  /** true: only errors of the configuration that their agent still has. false: only errors of earlier configurations. Absent: both. */
  readonly current?: boolean | undefined;
  /** Only errors whose text contains this text; the case of ASCII letters is ignored. */
  readonly q?: string | undefined;
  /** Only errors of this agent. */
  readonly agent_id?: string | undefined;
  /** Only errors of this group. */
  readonly group_id?: string | undefined;
  /** Only errors of agents of this fleet. */
  readonly fleet_id?: string | undefined;
  /** Only errors created at this time or later. */
  readonly since?: string | undefined;
  /** Only errors created before this time. */
  readonly until?: string | undefined;
}

/**
 * List errors of a project's agents.
 *
 * Newest first. Needs `read:agent_error`.
 *
 * It is `GET /v1/projects/{projectID}/agent_errors`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listProjectErrors']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const agentError of listProjectErrors(client, { projectID })) console.log(agentError.id);
 * ```
 */
export function listProjectErrors(client: Client, input: ListProjectErrorsInput, options?: CallOptions): PagedList<AgentError> {
  return list(client, { id: 'listProjectErrors', method: 'GET', path: '/v1/projects/{projectID}/agent_errors', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What dismissAgentError takes.
 *
 * @example
 * ```ts
 * const input: DismissAgentErrorInput = { agentErrorID, body: { reason: 'Fixed by the new password' } };
 * const dismissedAgentError = await dismissAgentError(client, input);
 * console.log(dismissedAgentError.dismissedAt);
 * ```
 */
export interface DismissAgentErrorInput {
  /** The agent error. */
  readonly agentErrorID: string;
  readonly body: DismissAgentError;
}

/**
 * Dismiss an agent error.
 *
 * The next report with the same text is stored as a new error. Needs `update:agent_error`.
 *
 * It is `POST /v1/agent_errors/{agentErrorID}/dismiss`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['dismissAgentError']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const dismissedAgentError = await dismissAgentError(client, { agentErrorID, body: { reason: 'Fixed by the new password' } });
 * console.log(dismissedAgentError.dismissedAt);
 * ```
 */
export function dismissAgentError(client: Client, input: DismissAgentErrorInput, options?: CallOptions): Promise<DismissedAgentError> {
  return call(client, { id: 'dismissAgentError', method: 'POST', path: '/v1/agent_errors/{agentErrorID}/dismiss', status: 200, answers: 'json', repeatable: false }, input, options);
}

/**
 * What reopenAgentError takes.
 *
 * @example
 * ```ts
 * const input: ReopenAgentErrorInput = { agentErrorID };
 * const agentError = await reopenAgentError(client, input);
 * console.log(agentError.id);
 * ```
 */
export interface ReopenAgentErrorInput {
  /** The agent error. */
  readonly agentErrorID: string;
}

/**
 * Reopen a dismissed agent error. Needs `update:agent_error`.
 *
 * It is `POST /v1/agent_errors/{agentErrorID}/reopen`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['reopenAgentError']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const agentError = await reopenAgentError(client, { agentErrorID });
 * console.log(agentError.id);
 * ```
 */
export function reopenAgentError(client: Client, input: ReopenAgentErrorInput, options?: CallOptions): Promise<AgentError> {
  return call(client, { id: 'reopenAgentError', method: 'POST', path: '/v1/agent_errors/{agentErrorID}/reopen', status: 200, answers: 'json', repeatable: false }, input, options);
}

/**
 * What createDismissal takes.
 *
 * @example
 * ```ts
 * const input: CreateDismissalInput = { projectID, body: { reason: 'Fixed by the new password', filter: { q: 'connection refused', current: true } } };
 * const object = await createDismissal(client, input);
 * console.log(object);
 * ```
 */
export interface CreateDismissalInput {
  /** The project. */
  readonly projectID: string;
  readonly body: CreateDismissal;
}

/**
 * Dismiss many agent errors.
 *
 * Dismisses all open errors that match the filter and were stored before the request. There is no limit on their number: the answer comes after the first portion, and the rest follows in the background. With `dryRun`, it only counts them. Needs `update:agent_error`.
 *
 * It is `POST /v1/projects/{projectID}/dismissals`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['createDismissal']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const object = await createDismissal(client, { projectID, body: { reason: 'Fixed by the new password', filter: { q: 'connection refused', current: true } } });
 * console.log(object);
 * ```
 */
export function createDismissal(client: Client, input: CreateDismissalInput, options?: CallOptions): Promise<Dismissal | DismissalPreview> {
  return call(client, { id: 'createDismissal', method: 'POST', path: '/v1/projects/{projectID}/dismissals', status: 201, answers: 'json', repeatable: false }, input, options);
}

/**
 * What listDismissals takes.
 *
 * @example
 * ```ts
 * const input: ListDismissalsInput = { projectID };
 * for await (const dismissal of listDismissals(client, input)) console.log(dismissal.id);
 * ```
 */
export interface ListDismissalsInput {
  /** The project. */
  readonly projectID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
}

/**
 * List dismissals of a project.
 *
 * Newest first. Errors that were dismissed one by one are not listed here. Needs `read:agent_error`.
 *
 * It is `GET /v1/projects/{projectID}/dismissals`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listDismissals']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const dismissal of listDismissals(client, { projectID })) console.log(dismissal.id);
 * ```
 */
export function listDismissals(client: Client, input: ListDismissalsInput, options?: CallOptions): PagedList<Dismissal> {
  return list(client, { id: 'listDismissals', method: 'GET', path: '/v1/projects/{projectID}/dismissals', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What getDismissal takes.
 *
 * @example
 * ```ts
 * const input: GetDismissalInput = { dismissalID };
 * const dismissal = await getDismissal(client, input);
 * console.log(dismissal.id);
 * ```
 */
export interface GetDismissalInput {
  /** The dismissal. */
  readonly dismissalID: string;
}

/**
 * Get a dismissal.
 *
 * Its counts are those of this moment, so they show the progress. Needs `read:agent_error`.
 *
 * It is `GET /v1/dismissals/{dismissalID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getDismissal']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const dismissal = await getDismissal(client, { dismissalID });
 * console.log(dismissal.id);
 * ```
 */
export function getDismissal(client: Client, input: GetDismissalInput, options?: CallOptions): Promise<Dismissal> {
  return call(client, { id: 'getDismissal', method: 'GET', path: '/v1/dismissals/{dismissalID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What undoDismissal takes.
 *
 * @example
 * ```ts
 * const input: UndoDismissalInput = { dismissalID };
 * const dismissal = await undoDismissal(client, input);
 * console.log(dismissal.id);
 * ```
 */
export interface UndoDismissalInput {
  /** The dismissal. */
  readonly dismissalID: string;
}

/**
 * Undo a dismissal.
 *
 * Reopens the errors that this dismissal has dismissed and that are still dismissed by it. A dismissal that is running is stopped first. To undo it again changes nothing. Needs `update:agent_error`.
 *
 * It is `POST /v1/dismissals/{dismissalID}/undo`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['undoDismissal']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const dismissal = await undoDismissal(client, { dismissalID });
 * console.log(dismissal.id);
 * ```
 */
export function undoDismissal(client: Client, input: UndoDismissalInput, options?: CallOptions): Promise<Dismissal> {
  return call(client, { id: 'undoDismissal', method: 'POST', path: '/v1/dismissals/{dismissalID}/undo', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What listAgentErrorGroups takes.
 *
 * @example
 * ```ts
 * const input: ListAgentErrorGroupsInput = { projectID };
 * for await (const agentErrorGroup of listAgentErrorGroups(client, input)) console.log(agentErrorGroup.id);
 * ```
 */
export interface ListAgentErrorGroupsInput {
  /** The project. */
  readonly projectID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
  /** true: dismissed errors. false or absent: open ones. */
  readonly dismissed?: boolean | undefined;
  /** true: open errors of configurations that their agents still have. false: open errors of earlier configurations. Absent: true, unless `dismissed` is given. It cannot be combined with dismissed=true. */
  readonly current?: boolean | undefined;
  /** Only groups whose pattern or example contains this text; the case of ASCII letters is ignored. */
  readonly q?: string | undefined;
  /** Only groups with errors of agents of this fleet. Agents and errors are then counted in this fleet only. */
  readonly fleet_id?: string | undefined;
  /** Only groups with errors of agents for which this core instance last spoke. Agents and errors are then counted on these alone. */
  readonly core_instance_id?: string | undefined;
  /** true: only groups that are muted now. Without `dismissed` and `current`, all of their errors count then, because further errors of a muted group are stored as dismissed. false: only groups that are not muted. Absent: both. */
  readonly muted?: boolean | undefined;
  /** Only groups that were last seen at this time or later. */
  readonly since?: string | undefined;
  /** Only groups that were first seen before this time. */
  readonly until?: string | undefined;
  /** The order, descending. Absent: lastSeen. */
  readonly sort?: 'lastSeen' | 'agents' | 'occurrences' | 'firstSeen' | undefined;
}

/**
 * List groups of a project's agent errors.
 *
 * Errors with the same cause, as one item. Without `dismissed` and `current`, it lists groups with open errors of configurations that their agents still have, and counts these errors. With sort=firstSeen, paging neither skips nor repeats a group; with another order, a group that is reported meanwhile moves to the front and may be missing on later pages. Needs `read:agent_error`.
 *
 * It is `GET /v1/projects/{projectID}/agent_error_groups`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listAgentErrorGroups']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const agentErrorGroup of listAgentErrorGroups(client, { projectID })) console.log(agentErrorGroup.id);
 * ```
 */
export function listAgentErrorGroups(client: Client, input: ListAgentErrorGroupsInput, options?: CallOptions): PagedList<AgentErrorGroup> {
  return list(client, { id: 'listAgentErrorGroups', method: 'GET', path: '/v1/projects/{projectID}/agent_error_groups', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What updateAgentErrorGroups takes.
 *
 * @example
 * ```ts
 * const input: UpdateAgentErrorGroupsInput = { projectID, body: { groupIDs: ['98a17ed9-f1d9-8a18-a9f0-c1a5b6925a0f'], note: 'Asking the platform team to stop it.', link: 'https://tickets.example.com/4711' } };
 * const object = await updateAgentErrorGroups(client, input);
 * console.log(object);
 * ```
 */
export interface UpdateAgentErrorGroupsInput {
  /** The project. */
  readonly projectID: string;
  readonly body: UpdateAgentErrorGroups;
}

/**
 * Assign groups of agent errors, and note what is known of them.
 *
 * Changes up to 100 groups, all or none. Nothing else depends on it: errors of the groups are stored and counted as before. Needs `update:agent_error`.
 *
 * It is `PATCH /v1/projects/{projectID}/agent_error_groups`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['updateAgentErrorGroups']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const object = await updateAgentErrorGroups(client, { projectID, body: { groupIDs: ['98a17ed9-f1d9-8a18-a9f0-c1a5b6925a0f'], note: 'Asking the platform team to stop it.', link: 'https://tickets.example.com/4711' } });
 * console.log(object);
 * ```
 */
export function updateAgentErrorGroups(client: Client, input: UpdateAgentErrorGroupsInput, options?: CallOptions): Promise<readonly AgentErrorGroup[]> {
  return call(client, { id: 'updateAgentErrorGroups', method: 'PATCH', path: '/v1/projects/{projectID}/agent_error_groups', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What getAgentErrorGroup takes.
 *
 * @example
 * ```ts
 * const input: GetAgentErrorGroupInput = { agentErrorGroupID };
 * const agentErrorGroup = await getAgentErrorGroup(client, input);
 * console.log(agentErrorGroup.id);
 * ```
 */
export interface GetAgentErrorGroupInput {
  /** The group. */
  readonly agentErrorGroupID: string;
}

/**
 * Get a group of agent errors. Needs `read:agent_error`.
 *
 * It is `GET /v1/agent_error_groups/{agentErrorGroupID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getAgentErrorGroup']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const agentErrorGroup = await getAgentErrorGroup(client, { agentErrorGroupID });
 * console.log(agentErrorGroup.id);
 * ```
 */
export function getAgentErrorGroup(client: Client, input: GetAgentErrorGroupInput, options?: CallOptions): Promise<AgentErrorGroup> {
  return call(client, { id: 'getAgentErrorGroup', method: 'GET', path: '/v1/agent_error_groups/{agentErrorGroupID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What listAgentErrorGroupAgents takes.
 *
 * @example
 * ```ts
 * const input: ListAgentErrorGroupAgentsInput = { agentErrorGroupID };
 * for await (const agentErrorGroupAgent of listAgentErrorGroupAgents(client, input)) console.log(agentErrorGroupAgent.id);
 * ```
 */
export interface ListAgentErrorGroupAgentsInput {
  /** The group. */
  readonly agentErrorGroupID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
  /** true: dismissed errors. false or absent: open ones. */
  readonly dismissed?: boolean | undefined;
  /** true: open errors of configurations that their agents still have. false: open errors of earlier configurations. Absent: true, unless `dismissed` is given. It cannot be combined with dismissed=true. */
  readonly current?: boolean | undefined;
}

/**
 * List the agents of a group.
 *
 * Agents with errors of the group, newest agent first. Needs `read:agent_error`.
 *
 * It is `GET /v1/agent_error_groups/{agentErrorGroupID}/agents`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listAgentErrorGroupAgents']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const agentErrorGroupAgent of listAgentErrorGroupAgents(client, { agentErrorGroupID })) console.log(agentErrorGroupAgent.id);
 * ```
 */
export function listAgentErrorGroupAgents(client: Client, input: ListAgentErrorGroupAgentsInput, options?: CallOptions): PagedList<AgentErrorGroupAgent> {
  return list(client, { id: 'listAgentErrorGroupAgents', method: 'GET', path: '/v1/agent_error_groups/{agentErrorGroupID}/agents', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What listAgentErrorGroupErrors takes.
 *
 * @example
 * ```ts
 * const input: ListAgentErrorGroupErrorsInput = { agentErrorGroupID };
 * for await (const agentError of listAgentErrorGroupErrors(client, input)) console.log(agentError.id);
 * ```
 */
export interface ListAgentErrorGroupErrorsInput {
  /** The group. */
  readonly agentErrorGroupID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
  /** true: only dismissed errors. false: only open ones. Absent: both. */
  readonly dismissed?: boolean | undefined;
  /** true: only errors of the configuration that their agent still has. false: only errors of earlier configurations. Absent: both. */
  readonly current?: boolean | undefined;
}

/**
 * List the errors of a group.
 *
 * Newest first. Needs `read:agent_error`.
 *
 * It is `GET /v1/agent_error_groups/{agentErrorGroupID}/errors`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listAgentErrorGroupErrors']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const agentError of listAgentErrorGroupErrors(client, { agentErrorGroupID })) console.log(agentError.id);
 * ```
 */
export function listAgentErrorGroupErrors(client: Client, input: ListAgentErrorGroupErrorsInput, options?: CallOptions): PagedList<AgentError> {
  return list(client, { id: 'listAgentErrorGroupErrors', method: 'GET', path: '/v1/agent_error_groups/{agentErrorGroupID}/errors', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What getAgentErrorGroupHistory takes.
 *
 * @example
 * ```ts
 * const input: GetAgentErrorGroupHistoryInput = { agentErrorGroupID };
 * const agentErrorGroupHistory = await getAgentErrorGroupHistory(client, input);
 * console.log(agentErrorGroupHistory.bucket);
 * ```
 */
export interface GetAgentErrorGroupHistoryInput {
  /** The group. */
  readonly agentErrorGroupID: string;
  /** The length of time that is counted together. Absent: hour. */
  readonly bucket?: 'minute' | 'hour' | 'day' | undefined;
  /** The first bucket contains this time. Absent: an hour before `until` by minute, a day by hour, 30 days by day. */
  readonly since?: string | undefined;
  /** The last bucket starts before this time. Absent: now. */
  readonly until?: string | undefined;
}

/**
 * Get the history of a group.
 *
 * How many errors were created in each minute, hour or day, and on how many agents. At most 1000 buckets. Needs `read:agent_error`.
 *
 * It is `GET /v1/agent_error_groups/{agentErrorGroupID}/history`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getAgentErrorGroupHistory']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const agentErrorGroupHistory = await getAgentErrorGroupHistory(client, { agentErrorGroupID });
 * console.log(agentErrorGroupHistory.bucket);
 * ```
 */
export function getAgentErrorGroupHistory(client: Client, input: GetAgentErrorGroupHistoryInput, options?: CallOptions): Promise<AgentErrorGroupHistory> {
  return call(client, { id: 'getAgentErrorGroupHistory', method: 'GET', path: '/v1/agent_error_groups/{agentErrorGroupID}/history', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What getAgentErrorGroupOrigin takes.
 *
 * @example
 * ```ts
 * const input: GetAgentErrorGroupOriginInput = { agentErrorGroupID };
 * const agentErrorGroupOrigin = await getAgentErrorGroupOrigin(client, input);
 * console.log(agentErrorGroupOrigin.first);
 * ```
 */
export interface GetAgentErrorGroupOriginInput {
  /** The group. */
  readonly agentErrorGroupID: string;
}

/**
 * Get where a group began, and who has it.
 *
 * The first agent and its configuration, and how many of the agents with this configuration have the errors now. `config_diff` of the agent shows what changed in it. Needs `read:agent_error`.
 *
 * It is `GET /v1/agent_error_groups/{agentErrorGroupID}/origin`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getAgentErrorGroupOrigin']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const agentErrorGroupOrigin = await getAgentErrorGroupOrigin(client, { agentErrorGroupID });
 * console.log(agentErrorGroupOrigin.first);
 * ```
 */
export function getAgentErrorGroupOrigin(client: Client, input: GetAgentErrorGroupOriginInput, options?: CallOptions): Promise<AgentErrorGroupOrigin> {
  return call(client, { id: 'getAgentErrorGroupOrigin', method: 'GET', path: '/v1/agent_error_groups/{agentErrorGroupID}/origin', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What getAgentErrorGroupTrends takes.
 *
 * @example
 * ```ts
 * const input: GetAgentErrorGroupTrendsInput = { projectID };
 * const agentErrorGroupTrends = await getAgentErrorGroupTrends(client, input);
 * console.log(agentErrorGroupTrends.since);
 * ```
 */
export interface GetAgentErrorGroupTrendsInput {
  /** The project. */
  readonly projectID: string;
}

/**
 * Get how the groups of a project grew in the last hour. Needs `read:agent_error`.
 *
 * It is `GET /v1/projects/{projectID}/agent_error_group_trends`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getAgentErrorGroupTrends']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const agentErrorGroupTrends = await getAgentErrorGroupTrends(client, { projectID });
 * console.log(agentErrorGroupTrends.since);
 * ```
 */
export function getAgentErrorGroupTrends(client: Client, input: GetAgentErrorGroupTrendsInput, options?: CallOptions): Promise<AgentErrorGroupTrends> {
  return call(client, { id: 'getAgentErrorGroupTrends', method: 'GET', path: '/v1/projects/{projectID}/agent_error_group_trends', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What muteAgentErrorGroup takes.
 *
 * @example
 * ```ts
 * const input: MuteAgentErrorGroupInput = { agentErrorGroupID, body: { until: '2030-01-31T00:00:00Z', reason: 'Known until the update on Monday' } };
 * const agentErrorGroup = await muteAgentErrorGroup(client, input);
 * console.log(agentErrorGroup.id);
 * ```
 */
export interface MuteAgentErrorGroupInput {
  /** The group. */
  readonly agentErrorGroupID: string;
  readonly body: MuteAgentErrorGroup;
}

/**
 * Mute a group of agent errors.
 *
 * Until then, new errors of the group are stored as dismissed. Open errors stay open. A group that is muted already gets the new time and reason. Needs `update:agent_error`.
 *
 * It is `POST /v1/agent_error_groups/{agentErrorGroupID}/mute`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['muteAgentErrorGroup']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const agentErrorGroup = await muteAgentErrorGroup(client, { agentErrorGroupID, body: { until: '2030-01-31T00:00:00Z', reason: 'Known until the update on Monday' } });
 * console.log(agentErrorGroup.id);
 * ```
 */
export function muteAgentErrorGroup(client: Client, input: MuteAgentErrorGroupInput, options?: CallOptions): Promise<AgentErrorGroup> {
  return call(client, { id: 'muteAgentErrorGroup', method: 'POST', path: '/v1/agent_error_groups/{agentErrorGroupID}/mute', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What unmuteAgentErrorGroup takes.
 *
 * @example
 * ```ts
 * const input: UnmuteAgentErrorGroupInput = { agentErrorGroupID };
 * const agentErrorGroup = await unmuteAgentErrorGroup(client, input);
 * console.log(agentErrorGroup.id);
 * ```
 */
export interface UnmuteAgentErrorGroupInput {
  /** The group. */
  readonly agentErrorGroupID: string;
  /** Only if the mute ends at this time: one that replaced it stays. Absent: whenever it ends. */
  readonly muted_until?: string | undefined;
}

/**
 * Unmute a group of agent errors.
 *
 * New errors of the group are stored as open again. A group that is not muted stays as it is. Needs `update:agent_error`.
 *
 * It is `POST /v1/agent_error_groups/{agentErrorGroupID}/unmute`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['unmuteAgentErrorGroup']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const agentErrorGroup = await unmuteAgentErrorGroup(client, { agentErrorGroupID });
 * console.log(agentErrorGroup.id);
 * ```
 */
export function unmuteAgentErrorGroup(client: Client, input: UnmuteAgentErrorGroupInput, options?: CallOptions): Promise<AgentErrorGroup> {
  return call(client, { id: 'unmuteAgentErrorGroup', method: 'POST', path: '/v1/agent_error_groups/{agentErrorGroupID}/unmute', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What registerAgent takes.
 *
 * @example
 * ```ts
 * const input: RegisterAgentInput = { body: { name: 'edge-7', machineID: 'edge-7.example.com', heartbeatSeconds: 30, type: 'fluentbit' } };
 * const registeredAgent = await registerAgent(client, input);
 * console.log(registeredAgent.id);
 * ```
 */
export interface RegisterAgentInput {
  readonly body: RegisterAgent;
}

/**
 * Register an agent.
 *
 * Idempotent by `machineID`: a machine id that is known in the project is the same agent, which gets a new token. Its previous token stays valid until the new one has been used successfully. With `MUSTER_REGISTRATION=once`, registering a known machine needs the token of its agent as `X-Agent-Token` in addition to the project token, or an operator must have released the machine. Unknown fields are ignored. Needs `create:agent`.
 *
 * It is `POST /v1/agents`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['registerAgent']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const registeredAgent = await registerAgent(client, { body: { name: 'edge-7', machineID: 'edge-7.example.com', heartbeatSeconds: 30, type: 'fluentbit' } });
 * console.log(registeredAgent.id);
 * ```
 */
export function registerAgent(client: Client, input: RegisterAgentInput, options?: CallOptions): Promise<RegisteredAgent> {
  return call(client, { id: 'registerAgent', method: 'POST', path: '/v1/agents', status: 201, answers: 'json', repeatable: false }, input, options);
}

/**
 * What listAgents takes.
 *
 * @example
 * ```ts
 * const input: ListAgentsInput = { projectID };
 * for await (const agent of listAgents(client, input)) console.log(agent.id);
 * ```
 */
export interface ListAgentsInput {
  /** The project. */
  readonly projectID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
  /** Only agents with exactly this name; `*` matches any run of characters (`ci-*`). */
  readonly name?: string | undefined;
  /** Only agents whose name or machine id contains this text; the case of ASCII letters is ignored. */
  readonly q?: string | undefined;
  /** Only agents that report this version. */
  readonly version?: string | undefined;
  /** Only agents in this state. */
  readonly status?: 'healthy' | 'unhealthy' | 'offline' | 'stopped' | 'unknown' | undefined;
  /** Only agents with this tag. */
  readonly tag?: string | undefined;
  /** Only agents of this fleet. */
  readonly fleet_id?: string | undefined;
  /** Only agents for which this core instance last spoke. */
  readonly core_instance_id?: string | undefined;
  /** true: only agents with an open error of the configuration that they run. false: only agents without one. */
  readonly open_errors?: boolean | undefined;
}

/**
 * List agents of a project.
 *
 * Newest first. A page can have fewer agents than `last` if their metadata is large: follow the `Link` header. Needs `read:agent`.
 *
 * It is `GET /v1/projects/{projectID}/agents`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listAgents']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const agent of listAgents(client, { projectID })) console.log(agent.id);
 * ```
 */
export function listAgents(client: Client, input: ListAgentsInput, options?: CallOptions): PagedList<Agent> {
  return list(client, { id: 'listAgents', method: 'GET', path: '/v1/projects/{projectID}/agents', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What deleteAgents takes.
 *
 * @example
 * ```ts
 * const input: DeleteAgentsInput = { projectID };
 * const deletedAgents = await deleteAgents(client, input);
 * console.log(deletedAgents.agentsCount);
 * ```
 */
export interface DeleteAgentsInput {
  /** The project. */
  readonly projectID: string;
  /** Only agents with exactly this name; `*` matches any run of characters (`ci-*`). */
  readonly name?: string | undefined;
  /** Only agents whose name or machine id contains this text; the case of ASCII letters is ignored. */
  readonly q?: string | undefined;
  /** Only agents that report this version. */
  readonly version?: string | undefined;
  /** Only agents in this state. */
  readonly status?: 'healthy' | 'unhealthy' | 'offline' | 'stopped' | 'unknown' | undefined;
  /** Only agents with this tag. */
  readonly tag?: string | undefined;
  /** Only agents of this fleet. */
  readonly fleet_id?: string | undefined;
  /** Only agents that were not heard since this time: their `lastSeenAt` is before it. */
  readonly not_seen_since?: string | undefined;
  /** Only these agents: up to 100 ids with commas between them. */
  readonly agent_id?: string | undefined;
  /** True: only count the agents that match, and delete nothing. */
  readonly dry_run?: boolean | undefined;
  /** How many agents may be deleted: such as the answer of a dry run that a person has confirmed. If more match, none is deleted. */
  readonly max_agents?: number | undefined;
}

/**
 * Delete many agents.
 *
 * Deletes the agents that match all given filters, as the deletion of a single agent does; at least one filter is needed. The answer comes when all of them are deleted. If it is lost, send the request again. Needs `delete:agent`.
 *
 * It is `DELETE /v1/projects/{projectID}/agents`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['deleteAgents']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const deletedAgents = await deleteAgents(client, { projectID });
 * console.log(deletedAgents.agentsCount);
 * ```
 */
export function deleteAgents(client: Client, input: DeleteAgentsInput, options?: CallOptions): Promise<DeletedAgents> {
  return call(client, { id: 'deleteAgents', method: 'DELETE', path: '/v1/projects/{projectID}/agents', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What getReportedFleets takes.
 *
 * @example
 * ```ts
 * const input: GetReportedFleetsInput = { projectID };
 * const reportedFleets = await getReportedFleets(client, input);
 * console.log(reportedFleets.fleets);
 * ```
 */
export interface GetReportedFleetsInput {
  /** The project. */
  readonly projectID: string;
}

/**
 * Get the fleets that agents report.
 *
 * Also those that were not created in this service, at most 1000. Agents without a fleet are in none of them. Needs `read:fleet`.
 *
 * It is `GET /v1/projects/{projectID}/reported_fleets`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getReportedFleets']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const reportedFleets = await getReportedFleets(client, { projectID });
 * console.log(reportedFleets.fleets);
 * ```
 */
export function getReportedFleets(client: Client, input: GetReportedFleetsInput, options?: CallOptions): Promise<ReportedFleets> {
  return call(client, { id: 'getReportedFleets', method: 'GET', path: '/v1/projects/{projectID}/reported_fleets', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What getAgent takes.
 *
 * @example
 * ```ts
 * const input: GetAgentInput = { agentID };
 * const agentWithConfig = await getAgent(client, input);
 * console.log(agentWithConfig.id);
 * ```
 */
export interface GetAgentInput {
  /** The agent. */
  readonly agentID: string;
}

/**
 * Get an agent. Needs `read:agent`.
 *
 * It is `GET /v1/agents/{agentID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getAgent']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const agentWithConfig = await getAgent(client, { agentID });
 * console.log(agentWithConfig.id);
 * ```
 */
export function getAgent(client: Client, input: GetAgentInput, options?: CallOptions): Promise<AgentWithConfig> {
  return call(client, { id: 'getAgent', method: 'GET', path: '/v1/agents/{agentID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What updateAgent takes.
 *
 * @example
 * ```ts
 * const input: UpdateAgentInput = { agentID, body: { name: 'edge-7', heartbeatSeconds: 30 } };
 * await updateAgent(client, input);
 * ```
 */
export interface UpdateAgentInput {
  /** The agent. */
  readonly agentID: string;
  readonly body: UpdateAgent;
}

/**
 * Update an agent.
 *
 * Absent and null fields stay as they are. A changed `rawConfig` starts a new configuration: errors with the same texts are then stored again. Unknown fields are ignored. Needs `update:agent`.
 *
 * It is `PATCH /v1/agents/{agentID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['updateAgent']`; MusterConnectionError
 *
 * @example
 * ```ts
 * await updateAgent(client, { agentID, body: { name: 'edge-7', heartbeatSeconds: 30 } });
 * ```
 */
export function updateAgent(client: Client, input: UpdateAgentInput, options?: CallOptions): Promise<void> {
  return call(client, { id: 'updateAgent', method: 'PATCH', path: '/v1/agents/{agentID}', status: 204, answers: 'nothing', repeatable: true }, input, options);
}

/**
 * What deleteAgent takes.
 *
 * @example
 * ```ts
 * const input: DeleteAgentInput = { agentID };
 * await deleteAgent(client, input);
 * ```
 */
export interface DeleteAgentInput {
  /** The agent. */
  readonly agentID: string;
}

/**
 * Delete an agent.
 *
 * Also deletes its tokens, errors and configurations. If its machine registers later, that is a new agent. Needs `delete:agent`.
 *
 * It is `DELETE /v1/agents/{agentID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['deleteAgent']`; MusterConnectionError
 *
 * @example
 * ```ts
 * await deleteAgent(client, { agentID });
 * ```
 */
export function deleteAgent(client: Client, input: DeleteAgentInput, options?: CallOptions): Promise<void> {
  return call(client, { id: 'deleteAgent', method: 'DELETE', path: '/v1/agents/{agentID}', status: 204, answers: 'nothing', repeatable: true }, input, options);
}

/**
 * What releaseAgent takes.
 *
 * @example
 * ```ts
 * const input: ReleaseAgentInput = { agentID };
 * await releaseAgent(client, input);
 * ```
 */
export interface ReleaseAgentInput {
  /** The agent. */
  readonly agentID: string;
}

/**
 * Release an agent's machine.
 *
 * Lets the machine be registered once more without the token of its agent, with `MUSTER_REGISTRATION=once`. Tokens of the agent stay valid until the new one is used. Needs `update:agent`.
 *
 * It is `POST /v1/agents/{agentID}/release`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['releaseAgent']`; MusterConnectionError
 *
 * @example
 * ```ts
 * await releaseAgent(client, { agentID });
 * ```
 */
export function releaseAgent(client: Client, input: ReleaseAgentInput, options?: CallOptions): Promise<void> {
  return call(client, { id: 'releaseAgent', method: 'POST', path: '/v1/agents/{agentID}/release', status: 204, answers: 'nothing', repeatable: true }, input, options);
}

/**
 * What listAgentConfigs takes.
 *
 * @example
 * ```ts
 * const input: ListAgentConfigsInput = { agentID };
 * for await (const agentConfig of listAgentConfigs(client, input)) console.log(agentConfig.id);
 * ```
 */
export interface ListAgentConfigsInput {
  /** The agent. */
  readonly agentID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
}

/**
 * List the configurations that an agent ran.
 *
 * Newest first; the first one is the current configuration. The latest 100 are kept. A page can have fewer than `last` if the configurations are large: follow the `Link` header. Needs `read:agent`.
 *
 * It is `GET /v1/agents/{agentID}/config_history`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listAgentConfigs']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const agentConfig of listAgentConfigs(client, { agentID })) console.log(agentConfig.id);
 * ```
 */
export function listAgentConfigs(client: Client, input: ListAgentConfigsInput, options?: CallOptions): PagedList<AgentConfig> {
  return list(client, { id: 'listAgentConfigs', method: 'GET', path: '/v1/agents/{agentID}/config_history', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What listAgentConfigChanges takes.
 *
 * @example
 * ```ts
 * const input: ListAgentConfigChangesInput = { agentID };
 * for await (const agentConfigChange of listAgentConfigChanges(client, input)) console.log(agentConfigChange.configID);
 * ```
 */
export interface ListAgentConfigChangesInput {
  /** The agent. */
  readonly agentID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
}

/**
 * List the causes that came and went with each configuration of an agent.
 *
 * The configurations of `config_history` without their texts, newest first. Of an agent with more than 20,000 dismissed errors, the newest of these are counted. `config_diff` shows what changed in a configuration. Needs `read:agent` and `read:agent_error`.
 *
 * It is `GET /v1/agents/{agentID}/config_changes`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listAgentConfigChanges']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const agentConfigChange of listAgentConfigChanges(client, { agentID })) console.log(agentConfigChange.configID);
 * ```
 */
export function listAgentConfigChanges(client: Client, input: ListAgentConfigChangesInput, options?: CallOptions): PagedList<AgentConfigChange> {
  return list(client, { id: 'listAgentConfigChanges', method: 'GET', path: '/v1/agents/{agentID}/config_changes', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What getAgentConfigDiff takes.
 *
 * @example
 * ```ts
 * const input: GetAgentConfigDiffInput = { agentID };
 * const agentConfigDiff = await getAgentConfigDiff(client, input);
 * console.log(agentConfigDiff.from);
 * ```
 */
export interface GetAgentConfigDiffInput {
  /** The agent. */
  readonly agentID: string;
  /** The older configuration. Absent: the one before `to`. */
  readonly from?: string | undefined;
  /** The newer configuration. Absent: the one that the agent runs. */
  readonly to?: string | undefined;
}

/**
 * Compare two configurations of an agent.
 *
 * Of the configurations in its history, as they are stored: without their secrets. With one configuration alone, all of its lines are added. Needs `read:agent`.
 *
 * It is `GET /v1/agents/{agentID}/config_diff`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getAgentConfigDiff']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const agentConfigDiff = await getAgentConfigDiff(client, { agentID });
 * console.log(agentConfigDiff.from);
 * ```
 */
export function getAgentConfigDiff(client: Client, input: GetAgentConfigDiffInput, options?: CallOptions): Promise<AgentConfigDiff> {
  return call(client, { id: 'getAgentConfigDiff', method: 'GET', path: '/v1/agents/{agentID}/config_diff', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What addAgentMetrics takes.
 *
 * @example
 * ```ts
 * const input: AddAgentMetricsInput = { agentID, body: bytes };
 * const createdMetrics = await addAgentMetrics(client, input);
 * console.log(createdMetrics.totalInserted);
 * ```
 */
export interface AddAgentMetricsInput {
  /** The agent. */
  readonly agentID: string;
  readonly body: Uint8Array;
}

/**
 * Send metrics of an agent.
 *
 * One or more concatenated cmetrics contexts in MessagePack. A sign of life: an agent that sends them again and again is `offline` when they stop. Needs `update:agent`.
 *
 * It is `POST /v1/agents/{agentID}/metrics`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['addAgentMetrics']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const createdMetrics = await addAgentMetrics(client, { agentID, body: bytes });
 * console.log(createdMetrics.totalInserted);
 * ```
 */
export function addAgentMetrics(client: Client, input: AddAgentMetricsInput, options?: CallOptions): Promise<CreatedMetrics> {
  return call(client, { id: 'addAgentMetrics', method: 'POST', path: '/v1/agents/{agentID}/metrics', status: 200, answers: 'json', mediaType: 'application/x-msgpack', repeatable: false }, input, options);
}

/**
 * What sendAgentHeartbeat takes.
 *
 * @example
 * ```ts
 * const input: SendAgentHeartbeatInput = { agentID, body: { heartbeatSeconds: 30, signal: 'SIGTERM' } };
 * await sendAgentHeartbeat(client, input);
 * ```
 */
export interface SendAgentHeartbeatInput {
  /** The agent. */
  readonly agentID: string;
  readonly body?: SendHeartbeat | undefined;
}

/**
 * Send a heartbeat of an agent.
 *
 * Says that the agent runs, or that it ends. The body is optional, in any media type: what is not a JSON object, and fields that are not listed, are ignored. An agent that sent two heartbeats is `offline` when they stop. Needs `update:agent`.
 *
 * It is `POST /v1/agents/{agentID}/heartbeat`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['sendAgentHeartbeat']`; MusterConnectionError
 *
 * @example
 * ```ts
 * await sendAgentHeartbeat(client, { agentID, body: { heartbeatSeconds: 30, signal: 'SIGTERM' } });
 * ```
 */
export function sendAgentHeartbeat(client: Client, input: SendAgentHeartbeatInput, options?: CallOptions): Promise<void> {
  return call(client, { id: 'sendAgentHeartbeat', method: 'POST', path: '/v1/agents/{agentID}/heartbeat', status: 204, answers: 'nothing', repeatable: false }, input, options);
}

/**
 * What sendMachineHeartbeat takes.
 *
 * @example
 * ```ts
 * const input: SendMachineHeartbeatInput = { machineID: 'web-01', body: { heartbeatSeconds: 30, signal: 'SIGTERM' } };
 * await sendMachineHeartbeat(client, input);
 * ```
 */
export interface SendMachineHeartbeatInput {
  /** Identifies the host, for example its host name. */
  readonly machineID: string;
  /** Name of the agent if this request registers it. Absent: the machine id. */
  readonly name?: string | undefined;
  readonly body?: SendHeartbeat | undefined;
}

/**
 * Send a heartbeat by machine id.
 *
 * The same for the project's agent with this machine id. An unknown machine id is registered as a new agent, so one configuration file serves a whole fleet. Needs `create:agent`.
 *
 * It is `POST /v1/machines/{machineID}/heartbeat`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['sendMachineHeartbeat']`; MusterConnectionError
 *
 * @example
 * ```ts
 * await sendMachineHeartbeat(client, { machineID: 'web-01', body: { heartbeatSeconds: 30, signal: 'SIGTERM' } });
 * ```
 */
export function sendMachineHeartbeat(client: Client, input: SendMachineHeartbeatInput, options?: CallOptions): Promise<void> {
  return call(client, { id: 'sendMachineHeartbeat', method: 'POST', path: '/v1/machines/{machineID}/heartbeat', status: 204, answers: 'nothing', repeatable: false }, input, options);
}

/**
 * What createFleet takes.
 *
 * @example
 * ```ts
 * const input: CreateFleetInput = { projectID, body: { name: 'edge', minFluentBitVersion: '3.2.0', rawConfig: '[INPUT]\n    Name cpu\n\n[OUTPUT]\n    Name  stdout\n    Match *\n' } };
 * const createdFleet = await createFleet(client, input);
 * console.log(createdFleet.id);
 * ```
 */
export interface CreateFleetInput {
  /** The project. */
  readonly projectID: string;
  readonly body: CreateFleet;
}

/**
 * Create a fleet.
 *
 * With `rawConfig`, also its first version. A configuration with errors is refused: the answer lists each with its line and what to do. Needs `create:fleet`.
 *
 * It is `POST /v1/projects/{projectID}/fleets`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['createFleet']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const createdFleet = await createFleet(client, { projectID, body: { name: 'edge', minFluentBitVersion: '3.2.0', rawConfig: '[INPUT]\n    Name cpu\n\n[OUTPUT]\n    Name  stdout\n    Match *\n' } });
 * console.log(createdFleet.id);
 * ```
 */
export function createFleet(client: Client, input: CreateFleetInput, options?: CallOptions): Promise<CreatedFleet> {
  return call(client, { id: 'createFleet', method: 'POST', path: '/v1/projects/{projectID}/fleets', status: 201, answers: 'json', repeatable: false }, input, options);
}

/**
 * What listFleets takes.
 *
 * @example
 * ```ts
 * const input: ListFleetsInput = { projectID };
 * for await (const fleet of listFleets(client, input)) console.log(fleet.id);
 * ```
 */
export interface ListFleetsInput {
  /** The project. */
  readonly projectID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
  /** Only fleets with exactly this name; `*` matches any run of characters (`ci-*`). */
  readonly name?: string | undefined;
  /** Only fleets with all of these tags: with commas or ` AND ` between them. */
  readonly tags_query?: string | undefined;
  /** The form of the configuration: `ini`, `conf`, `classic`, `yml`, `yaml`, `json`; the case does not matter. Empty: as it is stored, and `classic` for a new one. */
  readonly config_format?: string | undefined;
}

/**
 * List fleets of a project.
 *
 * Newest first. A page can have fewer fleets than `last` if their configurations are large: follow the `Link` header. Needs `read:fleet`.
 *
 * It is `GET /v1/projects/{projectID}/fleets`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listFleets']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const fleet of listFleets(client, { projectID })) console.log(fleet.id);
 * ```
 */
export function listFleets(client: Client, input: ListFleetsInput, options?: CallOptions): PagedList<Fleet> {
  return list(client, { id: 'listFleets', method: 'GET', path: '/v1/projects/{projectID}/fleets', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What getFleetsStatus takes.
 *
 * @example
 * ```ts
 * const input: GetFleetsStatusInput = { projectID };
 * const fleetsStatus = await getFleetsStatus(client, input);
 * console.log(fleetsStatus.managed);
 * ```
 */
export interface GetFleetsStatusInput {
  /** The project. */
  readonly projectID: string;
}

/**
 * Count the agents of all fleets of a project. Needs `read:fleet`.
 *
 * It is `GET /v1/projects/{projectID}/fleets/status`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getFleetsStatus']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const fleetsStatus = await getFleetsStatus(client, { projectID });
 * console.log(fleetsStatus.managed);
 * ```
 */
export function getFleetsStatus(client: Client, input: GetFleetsStatusInput, options?: CallOptions): Promise<FleetsStatus> {
  return call(client, { id: 'getFleetsStatus', method: 'GET', path: '/v1/projects/{projectID}/fleets/status', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What getFleetVersionCounts takes.
 *
 * @example
 * ```ts
 * const input: GetFleetVersionCountsInput = { projectID };
 * const fleetVersionCounts = await getFleetVersionCounts(client, input);
 * console.log(fleetVersionCounts.counts);
 * ```
 */
export interface GetFleetVersionCountsInput {
  /** The project. */
  readonly projectID: string;
  /** Only this fleet. */
  readonly fleet_id?: string | undefined;
}

/**
 * Count the agents of fleets by the version that they run.
 *
 * Who runs what, in all fleets of a project or in one: at most 10000 lines, each with at least one agent. Needs `read:fleet`.
 *
 * It is `GET /v1/projects/{projectID}/fleets/version_counts`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getFleetVersionCounts']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const fleetVersionCounts = await getFleetVersionCounts(client, { projectID });
 * console.log(fleetVersionCounts.counts);
 * ```
 */
export function getFleetVersionCounts(client: Client, input: GetFleetVersionCountsInput, options?: CallOptions): Promise<FleetVersionCounts> {
  return call(client, { id: 'getFleetVersionCounts', method: 'GET', path: '/v1/projects/{projectID}/fleets/version_counts', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What getFleet takes.
 *
 * @example
 * ```ts
 * const input: GetFleetInput = { fleetID };
 * const fleet = await getFleet(client, input);
 * console.log(fleet.id);
 * ```
 */
export interface GetFleetInput {
  /** The fleet. */
  readonly fleetID: string;
  /** The form of the configuration: `ini`, `conf`, `classic`, `yml`, `yaml`, `json`; the case does not matter. Empty: as it is stored, and `classic` for a new one. */
  readonly config_format?: string | undefined;
}

/**
 * Get a fleet. Needs `read:fleet`.
 *
 * It is `GET /v1/fleets/{fleetID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getFleet']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const fleet = await getFleet(client, { fleetID });
 * console.log(fleet.id);
 * ```
 */
export function getFleet(client: Client, input: GetFleetInput, options?: CallOptions): Promise<Fleet> {
  return call(client, { id: 'getFleet', method: 'GET', path: '/v1/fleets/{fleetID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What updateFleet takes.
 *
 * @example
 * ```ts
 * const input: UpdateFleetInput = { fleetID, body: { name: 'edge', minFluentBitVersion: '3.2.0' } };
 * const updatedFleet = await updateFleet(client, input);
 * console.log(updatedFleet.updatedAt);
 * ```
 */
export interface UpdateFleetInput {
  /** The fleet. */
  readonly fleetID: string;
  readonly body: UpdateFleet;
}

/**
 * Change a fleet.
 *
 * Absent and null fields stay as they are. With another `rawConfig`, a version is created, and all agents of the fleet get it. With the same one, nothing changes for them. With `versionID`, all of them get a version that exists already. One that is marked bad takes `despiteBad`. Needs `update:fleet`.
 *
 * It is `PATCH /v1/fleets/{fleetID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['updateFleet']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const updatedFleet = await updateFleet(client, { fleetID, body: { name: 'edge', minFluentBitVersion: '3.2.0' } });
 * console.log(updatedFleet.updatedAt);
 * ```
 */
export function updateFleet(client: Client, input: UpdateFleetInput, options?: CallOptions): Promise<UpdatedFleet> {
  return call(client, { id: 'updateFleet', method: 'PATCH', path: '/v1/fleets/{fleetID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What deleteFleet takes.
 *
 * @example
 * ```ts
 * const input: DeleteFleetInput = { fleetID };
 * const deletedFleet = await deleteFleet(client, input);
 * console.log(deletedFleet.deleted);
 * ```
 */
export interface DeleteFleetInput {
  /** The fleet. */
  readonly fleetID: string;
}

/**
 * Delete a fleet.
 *
 * Its agents stay, and go on with the configuration that they have. Needs `delete:fleet`.
 *
 * It is `DELETE /v1/fleets/{fleetID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['deleteFleet']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const deletedFleet = await deleteFleet(client, { fleetID });
 * console.log(deletedFleet.deleted);
 * ```
 */
export function deleteFleet(client: Client, input: DeleteFleetInput, options?: CallOptions): Promise<DeletedFleet> {
  return call(client, { id: 'deleteFleet', method: 'DELETE', path: '/v1/fleets/{fleetID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What moveAgents takes.
 *
 * @example
 * ```ts
 * const input: MoveAgentsInput = { fleetID, body: { agentIDs: ['0197a3c2-7b4e-7f1a-9c3d-2e5f8a1b4c6d'] } };
 * const movedAgents = await moveAgents(client, input);
 * console.log(movedAgents.movedCount);
 * ```
 */
export interface MoveAgentsInput {
  /** The fleet. */
  readonly fleetID: string;
  readonly body: MoveAgents;
}

/**
 * Move agents to a fleet.
 *
 * From their next request on, they get what this fleet serves, though their own files still name the fleet that they were in. Only agents that are configured with `fleet_name` can be moved: all agents with `fleet_id` ask with the same id. Either all of them are moved, or none. Needs `update:fleet` and `update:agent`.
 *
 * It is `POST /v1/fleets/{fleetID}/agents`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['moveAgents']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const movedAgents = await moveAgents(client, { fleetID, body: { agentIDs: ['0197a3c2-7b4e-7f1a-9c3d-2e5f8a1b4c6d'] } });
 * console.log(movedAgents.movedCount);
 * ```
 */
export function moveAgents(client: Client, input: MoveAgentsInput, options?: CallOptions): Promise<MovedAgents> {
  return call(client, { id: 'moveAgents', method: 'POST', path: '/v1/fleets/{fleetID}/agents', status: 200, answers: 'json', repeatable: false }, input, options);
}

/**
 * What getFleetStatus takes.
 *
 * @example
 * ```ts
 * const input: GetFleetStatusInput = { fleetID };
 * const fleetsStatus = await getFleetStatus(client, input);
 * console.log(fleetsStatus.managed);
 * ```
 */
export interface GetFleetStatusInput {
  /** The fleet. */
  readonly fleetID: string;
}

/**
 * Count the agents of a fleet. Needs `read:fleet`.
 *
 * It is `GET /v1/fleets/{fleetID}/status`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getFleetStatus']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const fleetsStatus = await getFleetStatus(client, { fleetID });
 * console.log(fleetsStatus.managed);
 * ```
 */
export function getFleetStatus(client: Client, input: GetFleetStatusInput, options?: CallOptions): Promise<FleetsStatus> {
  return call(client, { id: 'getFleetStatus', method: 'GET', path: '/v1/fleets/{fleetID}/status', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What getFleetConfig takes.
 *
 * @example
 * ```ts
 * const input: GetFleetConfigInput = { fleetID };
 * const text = await getFleetConfig(client, input);
 * console.log(text);
 * ```
 */
export interface GetFleetConfigInput {
  /** The fleet. */
  readonly fleetID: string;
  /** The form of the configuration: `ini`, `conf`, `classic`, `yml`, `yaml`, `json`; the case does not matter. Empty: as it is stored, and `classic` for a new one. */
  readonly config_format?: string | undefined;
  /** The form of the configuration: `ini`, `conf`, `classic`, `yml`, `yaml`, `json`; the case does not matter. Empty: as it is stored, and `classic` for a new one. */
  readonly format?: string | undefined;
}

/**
 * Get the configuration that agents of a fleet get.
 *
 * What agents ask for again and again. `Last-Modified` grows by at least a second with every change, and is the same as long as the content is. An agent may send the id that a search has given it, and gets its own values of variables; others see the variables as they are written. Needs `read:fleet`.
 *
 * It is `GET /v1/fleets/{fleetID}/config`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getFleetConfig']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const text = await getFleetConfig(client, { fleetID });
 * console.log(text);
 * ```
 */
export function getFleetConfig(client: Client, input: GetFleetConfigInput, options?: CallOptions): Promise<string> {
  return call(client, { id: 'getFleetConfig', method: 'GET', path: '/v1/fleets/{fleetID}/config', status: 200, answers: 'text', repeatable: true }, input, options);
}

/**
 * What listFleetFiles takes.
 *
 * @example
 * ```ts
 * const input: ListFleetFilesInput = { fleetID };
 * for await (const fleetFile of listFleetFiles(client, input)) console.log(fleetFile.id);
 * ```
 */
export interface ListFleetFilesInput {
  /** The fleet. */
  readonly fleetID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
}

/**
 * List files of a fleet.
 *
 * Without `last`, all of them: agents read no further page. Needs `read:fleet`.
 *
 * It is `GET /v1/fleets/{fleetID}/files`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listFleetFiles']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const fleetFile of listFleetFiles(client, { fleetID })) console.log(fleetFile.id);
 * ```
 */
export function listFleetFiles(client: Client, input: ListFleetFilesInput, options?: CallOptions): PagedList<FleetFile> {
  return list(client, { id: 'listFleetFiles', method: 'GET', path: '/v1/fleets/{fleetID}/files', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What createFleetFile takes.
 *
 * @example
 * ```ts
 * const input: CreateFleetFileInput = { fleetID, body: { name: 'parsers.conf', contents: 'W1BBUlNFUl0KICAgIE5hbWUganNvbgogICAgRm9ybWF0IGpzb24K' } };
 * const createdFleetFile = await createFleetFile(client, input);
 * console.log(createdFleetFile.id);
 * ```
 */
export interface CreateFleetFileInput {
  /** The fleet. */
  readonly fleetID: string;
  readonly body: CreateFleetFile;
}

/**
 * Add a file to a fleet.
 *
 * Creates a version with the file, which all agents of the fleet get. Needs `update:fleet`.
 *
 * It is `POST /v1/fleets/{fleetID}/files`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['createFleetFile']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const createdFleetFile = await createFleetFile(client, { fleetID, body: { name: 'parsers.conf', contents: 'W1BBUlNFUl0KICAgIE5hbWUganNvbgogICAgRm9ybWF0IGpzb24K' } });
 * console.log(createdFleetFile.id);
 * ```
 */
export function createFleetFile(client: Client, input: CreateFleetFileInput, options?: CallOptions): Promise<CreatedFleetFile> {
  return call(client, { id: 'createFleetFile', method: 'POST', path: '/v1/fleets/{fleetID}/files', status: 200, answers: 'json', repeatable: false }, input, options);
}

/**
 * What getFleetFile takes.
 *
 * @example
 * ```ts
 * const input: GetFleetFileInput = { fleetFileID };
 * const fleetFile = await getFleetFile(client, input);
 * console.log(fleetFile.id);
 * ```
 */
export interface GetFleetFileInput {
  /** The file. */
  readonly fleetFileID: string;
}

/**
 * Get a file of a fleet. Needs `read:fleet`.
 *
 * It is `GET /v1/fleet_files/{fleetFileID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getFleetFile']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const fleetFile = await getFleetFile(client, { fleetFileID });
 * console.log(fleetFile.id);
 * ```
 */
export function getFleetFile(client: Client, input: GetFleetFileInput, options?: CallOptions): Promise<FleetFile> {
  return call(client, { id: 'getFleetFile', method: 'GET', path: '/v1/fleet_files/{fleetFileID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What updateFleetFile takes.
 *
 * @example
 * ```ts
 * const input: UpdateFleetFileInput = { fleetFileID, body: { name: 'parsers.conf', contents: 'W1BBUlNFUl0KICAgIE5hbWUganNvbgogICAgRm9ybWF0IGpzb24K' } };
 * await updateFleetFile(client, input);
 * ```
 */
export interface UpdateFleetFileInput {
  /** The file. */
  readonly fleetFileID: string;
  readonly body: UpdateFleetFile;
}

/**
 * Change a file of a fleet.
 *
 * Creates a version with the changed file, which all agents of the fleet get. Needs `update:fleet`.
 *
 * It is `PATCH /v1/fleet_files/{fleetFileID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['updateFleetFile']`; MusterConnectionError
 *
 * @example
 * ```ts
 * await updateFleetFile(client, { fleetFileID, body: { name: 'parsers.conf', contents: 'W1BBUlNFUl0KICAgIE5hbWUganNvbgogICAgRm9ybWF0IGpzb24K' } });
 * ```
 */
export function updateFleetFile(client: Client, input: UpdateFleetFileInput, options?: CallOptions): Promise<void> {
  return call(client, { id: 'updateFleetFile', method: 'PATCH', path: '/v1/fleet_files/{fleetFileID}', status: 204, answers: 'nothing', repeatable: true }, input, options);
}

/**
 * What deleteFleetFile takes.
 *
 * @example
 * ```ts
 * const input: DeleteFleetFileInput = { fleetFileID };
 * await deleteFleetFile(client, input);
 * ```
 */
export interface DeleteFleetFileInput {
  /** The file. */
  readonly fleetFileID: string;
}

/**
 * Remove a file from a fleet.
 *
 * Creates a version without the file, which all agents of the fleet get. Needs `update:fleet`.
 *
 * It is `DELETE /v1/fleet_files/{fleetFileID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['deleteFleetFile']`; MusterConnectionError
 *
 * @example
 * ```ts
 * await deleteFleetFile(client, { fleetFileID });
 * ```
 */
export function deleteFleetFile(client: Client, input: DeleteFleetFileInput, options?: CallOptions): Promise<void> {
  return call(client, { id: 'deleteFleetFile', method: 'DELETE', path: '/v1/fleet_files/{fleetFileID}', status: 204, answers: 'nothing', repeatable: true }, input, options);
}

/**
 * What listFleetVersions takes.
 *
 * @example
 * ```ts
 * const input: ListFleetVersionsInput = { fleetID };
 * for await (const fleetVersion of listFleetVersions(client, input)) console.log(fleetVersion.id);
 * ```
 */
export interface ListFleetVersionsInput {
  /** The fleet. */
  readonly fleetID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
}

/**
 * List versions of a fleet.
 *
 * Newest first. Needs `read:fleet`.
 *
 * It is `GET /v1/fleets/{fleetID}/versions`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listFleetVersions']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const fleetVersion of listFleetVersions(client, { fleetID })) console.log(fleetVersion.id);
 * ```
 */
export function listFleetVersions(client: Client, input: ListFleetVersionsInput, options?: CallOptions): PagedList<FleetVersion> {
  return list(client, { id: 'listFleetVersions', method: 'GET', path: '/v1/fleets/{fleetID}/versions', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What createFleetVersion takes.
 *
 * @example
 * ```ts
 * const input: CreateFleetVersionInput = { fleetID, body: { rawConfig: '[INPUT]\n    Name cpu\n\n[OUTPUT]\n    Name  stdout\n    Match *\n', configFormat: 'yaml' } };
 * const fleetVersion = await createFleetVersion(client, input);
 * console.log(fleetVersion.id);
 * ```
 */
export interface CreateFleetVersionInput {
  /** The fleet. */
  readonly fleetID: string;
  readonly body: CreateFleetVersion;
}

/**
 * Create a version of a fleet.
 *
 * Checks and stores a configuration; no agent gets it by this. If it is equal to the newest version, that one is the answer. Needs `update:fleet`.
 *
 * It is `POST /v1/fleets/{fleetID}/versions`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['createFleetVersion']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const fleetVersion = await createFleetVersion(client, { fleetID, body: { rawConfig: '[INPUT]\n    Name cpu\n\n[OUTPUT]\n    Name  stdout\n    Match *\n', configFormat: 'yaml' } });
 * console.log(fleetVersion.id);
 * ```
 */
export function createFleetVersion(client: Client, input: CreateFleetVersionInput, options?: CallOptions): Promise<FleetVersion> {
  return call(client, { id: 'createFleetVersion', method: 'POST', path: '/v1/fleets/{fleetID}/versions', status: 201, answers: 'json', repeatable: true }, input, options);
}

/**
 * What getFleetVersion takes.
 *
 * @example
 * ```ts
 * const input: GetFleetVersionInput = { fleetVersionID };
 * const fleetVersionWithConfig = await getFleetVersion(client, input);
 * console.log(fleetVersionWithConfig.id);
 * ```
 */
export interface GetFleetVersionInput {
  /** The version. */
  readonly fleetVersionID: string;
}

/**
 * Get a version of a fleet. Needs `read:fleet`.
 *
 * It is `GET /v1/fleet_versions/{fleetVersionID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getFleetVersion']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const fleetVersionWithConfig = await getFleetVersion(client, { fleetVersionID });
 * console.log(fleetVersionWithConfig.id);
 * ```
 */
export function getFleetVersion(client: Client, input: GetFleetVersionInput, options?: CallOptions): Promise<FleetVersionWithConfig> {
  return call(client, { id: 'getFleetVersion', method: 'GET', path: '/v1/fleet_versions/{fleetVersionID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What getFleetVersionDiff takes.
 *
 * @example
 * ```ts
 * const input: GetFleetVersionDiffInput = { fleetVersionID };
 * const fleetVersionDiff = await getFleetVersionDiff(client, input);
 * console.log(fleetVersionDiff.from);
 * ```
 */
export interface GetFleetVersionDiffInput {
  /** The version. */
  readonly fleetVersionID: string;
  /** The version to compare with, of any fleet of the project. Absent: the one before. */
  readonly against?: string | undefined;
}

/**
 * Compare a version of a fleet with another one.
 *
 * Without an earlier version, all lines are added. Needs `read:fleet`.
 *
 * It is `GET /v1/fleet_versions/{fleetVersionID}/diff`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getFleetVersionDiff']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const fleetVersionDiff = await getFleetVersionDiff(client, { fleetVersionID });
 * console.log(fleetVersionDiff.from);
 * ```
 */
export function getFleetVersionDiff(client: Client, input: GetFleetVersionDiffInput, options?: CallOptions): Promise<FleetVersionDiff> {
  return call(client, { id: 'getFleetVersionDiff', method: 'GET', path: '/v1/fleet_versions/{fleetVersionID}/diff', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What validateFleetConfig takes.
 *
 * @example
 * ```ts
 * const input: ValidateFleetConfigInput = { fleetID, body: { rawConfig: '[INPUT]\n    Name cpu\n\n[OUTPUT]\n    Name  stdout\n    Match *\n', configFormat: 'yaml' } };
 * const validatedFleetConfig = await validateFleetConfig(client, input);
 * console.log(validatedFleetConfig.isValid);
 * ```
 */
export interface ValidateFleetConfigInput {
  /** The fleet. */
  readonly fleetID: string;
  readonly body: ValidateFleetConfig;
}

/**
 * Check a configuration for a fleet.
 *
 * Stores nothing. Needs `read:fleet`.
 *
 * It is `POST /v1/fleets/{fleetID}/validate`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['validateFleetConfig']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const validatedFleetConfig = await validateFleetConfig(client, { fleetID, body: { rawConfig: '[INPUT]\n    Name cpu\n\n[OUTPUT]\n    Name  stdout\n    Match *\n', configFormat: 'yaml' } });
 * console.log(validatedFleetConfig.isValid);
 * ```
 */
export function validateFleetConfig(client: Client, input: ValidateFleetConfigInput, options?: CallOptions): Promise<ValidatedFleetConfig> {
  return call(client, { id: 'validateFleetConfig', method: 'POST', path: '/v1/fleets/{fleetID}/validate', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What listFleetVariables takes.
 *
 * @example
 * ```ts
 * const input: ListFleetVariablesInput = { fleetID };
 * for await (const fleetVariable of listFleetVariables(client, input)) console.log(fleetVariable.id);
 * ```
 */
export interface ListFleetVariablesInput {
  /** The fleet. */
  readonly fleetID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
  /** As configurations write it: `{{vars.NAME}}` or `{{secrets.NAME}}`. */
  readonly name?: string | undefined;
}

/**
 * List variables of a fleet.
 *
 * Newest first: those for the whole fleet, for agents with a tag, and for single agents. With `name`, the values of one variable. Needs `read:fleet`.
 *
 * It is `GET /v1/fleets/{fleetID}/variables`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listFleetVariables']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const fleetVariable of listFleetVariables(client, { fleetID })) console.log(fleetVariable.id);
 * ```
 */
export function listFleetVariables(client: Client, input: ListFleetVariablesInput, options?: CallOptions): PagedList<FleetVariable> {
  return list(client, { id: 'listFleetVariables', method: 'GET', path: '/v1/fleets/{fleetID}/variables', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What updateFleetVariables takes.
 *
 * @example
 * ```ts
 * const input: UpdateFleetVariablesInput = { fleetID, body: { unset: ['port'], tag: 'eu' } };
 * const updatedFleetValues = await updateFleetVariables(client, input);
 * console.log(updatedFleetValues.changedCount);
 * ```
 */
export interface UpdateFleetVariablesInput {
  /** The fleet. */
  readonly fleetID: string;
  readonly body: UpdateFleetVariables;
}

/**
 * Set and remove variables of a fleet.
 *
 * What `{{vars.NAME}}` stands for in its configurations. A value for an agent goes before one for a tag, and that before one for the fleet. Agents whose configuration has another content by this get it at once and without a rollout: those with the tag, the one agent, or all agents of the fleet. So nothing that they use can be changed while a rollout is under way, and in a freeze of the project only with `despiteFreeze`. Needs `update:fleet`.
 *
 * It is `PATCH /v1/fleets/{fleetID}/variables`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['updateFleetVariables']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const updatedFleetValues = await updateFleetVariables(client, { fleetID, body: { unset: ['port'], tag: 'eu' } });
 * console.log(updatedFleetValues.changedCount);
 * ```
 */
export function updateFleetVariables(client: Client, input: UpdateFleetVariablesInput, options?: CallOptions): Promise<UpdatedFleetValues> {
  return call(client, { id: 'updateFleetVariables', method: 'PATCH', path: '/v1/fleets/{fleetID}/variables', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What listFleetSecrets takes.
 *
 * @example
 * ```ts
 * const input: ListFleetSecretsInput = { fleetID };
 * const fleetSecrets = await listFleetSecrets(client, input);
 * console.log(fleetSecrets.secrets);
 * ```
 */
export interface ListFleetSecretsInput {
  /** The fleet. */
  readonly fleetID: string;
}

/**
 * List names of secrets of a fleet.
 *
 * In the order of their names. Values are never shown. Needs `read:fleet`.
 *
 * It is `GET /v1/fleets/{fleetID}/secrets`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listFleetSecrets']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const fleetSecrets = await listFleetSecrets(client, { fleetID });
 * console.log(fleetSecrets.secrets);
 * ```
 */
export function listFleetSecrets(client: Client, input: ListFleetSecretsInput, options?: CallOptions): Promise<FleetSecrets> {
  return call(client, { id: 'listFleetSecrets', method: 'GET', path: '/v1/fleets/{fleetID}/secrets', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What updateFleetSecrets takes.
 *
 * @example
 * ```ts
 * const input: UpdateFleetSecretsInput = { fleetID, body: { unset: ['port'] } };
 * const updatedFleetValues = await updateFleetSecrets(client, input);
 * console.log(updatedFleetValues.changedCount);
 * ```
 */
export interface UpdateFleetSecretsInput {
  /** The fleet. */
  readonly fleetID: string;
  readonly body: UpdateFleetSecrets;
}

/**
 * Set and remove secrets of a fleet.
 *
 * What `{{secrets.NAME}}` stands for in its configurations. Values are stored encrypted, and only agents get them. They are removed from what agents report, and still are for a while when they are replaced. All agents whose configuration uses a changed secret get it at once and without a rollout. So no secret that they use can be changed while a rollout is under way, and in a freeze of the project only with `despiteFreeze`. Needs `update:fleet`.
 *
 * It is `PATCH /v1/fleets/{fleetID}/secrets`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['updateFleetSecrets']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const updatedFleetValues = await updateFleetSecrets(client, { fleetID, body: { unset: ['port'] } });
 * console.log(updatedFleetValues.changedCount);
 * ```
 */
export function updateFleetSecrets(client: Client, input: UpdateFleetSecretsInput, options?: CallOptions): Promise<UpdatedFleetValues> {
  return call(client, { id: 'updateFleetSecrets', method: 'PATCH', path: '/v1/fleets/{fleetID}/secrets', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What search takes.
 *
 * @example
 * ```ts
 * const input: SearchInput = {};
 * const object = await search(client, input);
 * console.log(object);
 * ```
 */
export interface SearchInput {
  /** The project. With a project token, it can be left out: it is that of the token. */
  readonly project_id?: string | undefined;
  /** Only `fleet` exists, and it can be left out. */
  readonly resource?: string | undefined;
  /** Absent or empty: all. */
  readonly term?: string | undefined;
  /** True: only a fleet with exactly this name. */
  readonly exact?: boolean | undefined;
}

/**
 * Find a fleet by its name.
 *
 * By name, in ascending order; at most 1,000. With `exact=true` the name must be equal, otherwise begin with the term; a term that is an id finds the fleet with it. An agent that is configured with `fleet_name` searches to learn the id of its fleet. It sends `Fleet-Config-Version` and gets an id of its own each time, so that each agent is known by the id with which it asks for its configuration. Needs `read:fleet`.
 *
 * It is `GET /v1/search`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['search']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const object = await search(client);
 * console.log(object);
 * ```
 */
export function search(client: Client, input: SearchInput = {}, options?: CallOptions): Promise<readonly SearchResult[]> {
  return call(client, { id: 'search', method: 'GET', path: '/v1/search', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What startRollout takes.
 *
 * @example
 * ```ts
 * const input: StartRolloutInput = { fleetID, body: { versionID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', maxPerMinute: 100, reason: 'Send to the new collectors' } };
 * const startedRollout = await startRollout(client, input);
 * console.log(startedRollout.id);
 * ```
 */
export interface StartRolloutInput {
  /** The fleet. */
  readonly fleetID: string;
  readonly body: StartRollout;
}

/**
 * Give a version to the agents of a fleet, stage by stage.
 *
 * A rollout goes on by itself while the agents that have the version are no worse than the others. It stops by itself when they are, and then gives them the version before again. It supersedes a rollout of the fleet that has not ended. Needs `update:fleet`.
 *
 * It is `POST /v1/fleets/{fleetID}/rollouts`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['startRollout']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const startedRollout = await startRollout(client, { fleetID, body: { versionID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', maxPerMinute: 100, reason: 'Send to the new collectors' } });
 * console.log(startedRollout.id);
 * ```
 */
export function startRollout(client: Client, input: StartRolloutInput, options?: CallOptions): Promise<StartedRollout> {
  return call(client, { id: 'startRollout', method: 'POST', path: '/v1/fleets/{fleetID}/rollouts', status: 200, answers: 'json', repeatable: false }, input, options);
}

/**
 * What listRollouts takes.
 *
 * @example
 * ```ts
 * const input: ListRolloutsInput = { projectID };
 * for await (const rollout of listRollouts(client, input)) console.log(rollout.id);
 * ```
 */
export interface ListRolloutsInput {
  /** The project. */
  readonly projectID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
  /** Only of this fleet. */
  readonly fleet_id?: string | undefined;
  /** Only those that this group of errors has stopped, also of fleets that were deleted. */
  readonly group_id?: string | undefined;
  /** true: only the newest rollout of each fleet, and only if it has neither completed nor been superseded: those that go on, and those that were stopped. false or absent: all. */
  readonly incomplete?: boolean | undefined;
}

/**
 * List rollouts of a project.
 *
 * Newest first. Needs `read:fleet`.
 *
 * It is `GET /v1/projects/{projectID}/rollouts`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listRollouts']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const rollout of listRollouts(client, { projectID })) console.log(rollout.id);
 * ```
 */
export function listRollouts(client: Client, input: ListRolloutsInput, options?: CallOptions): PagedList<Rollout> {
  return list(client, { id: 'listRollouts', method: 'GET', path: '/v1/projects/{projectID}/rollouts', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What getRollout takes.
 *
 * @example
 * ```ts
 * const input: GetRolloutInput = { rolloutID };
 * const rollout = await getRollout(client, input);
 * console.log(rollout.id);
 * ```
 */
export interface GetRolloutInput {
  /** The rollout. */
  readonly rolloutID: string;
}

/**
 * Get a rollout. Needs `read:fleet`.
 *
 * It is `GET /v1/rollouts/{rolloutID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getRollout']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const rollout = await getRollout(client, { rolloutID });
 * console.log(rollout.id);
 * ```
 */
export function getRollout(client: Client, input: GetRolloutInput, options?: CallOptions): Promise<Rollout> {
  return call(client, { id: 'getRollout', method: 'GET', path: '/v1/rollouts/{rolloutID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What listRolloutAgents takes.
 *
 * @example
 * ```ts
 * const input: ListRolloutAgentsInput = { rolloutID };
 * for await (const rolloutAgent of listRolloutAgents(client, input)) console.log(rolloutAgent.agentID);
 * ```
 */
export interface ListRolloutAgentsInput {
  /** The rollout. */
  readonly rolloutID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
}

/**
 * List how far the agents of a rollout are.
 *
 * In the order of their ids, the newest first. Needs `read:fleet`.
 *
 * It is `GET /v1/rollouts/{rolloutID}/agents`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listRolloutAgents']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const rolloutAgent of listRolloutAgents(client, { rolloutID })) console.log(rolloutAgent.agentID);
 * ```
 */
export function listRolloutAgents(client: Client, input: ListRolloutAgentsInput, options?: CallOptions): PagedList<RolloutAgent> {
  return list(client, { id: 'listRolloutAgents', method: 'GET', path: '/v1/rollouts/{rolloutID}/agents', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What pauseRollout takes.
 *
 * @example
 * ```ts
 * const input: PauseRolloutInput = { rolloutID, body: { reason: 'Send to the new collectors' } };
 * const rollout = await pauseRollout(client, input);
 * console.log(rollout.id);
 * ```
 */
export interface PauseRolloutInput {
  /** The rollout. */
  readonly rolloutID: string;
  readonly body: RolloutReason;
}

/**
 * Pause a rollout.
 *
 * Nobody further gets the version. Agents that have it keep it. Needs `update:fleet`.
 *
 * It is `POST /v1/rollouts/{rolloutID}/pause`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['pauseRollout']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const rollout = await pauseRollout(client, { rolloutID, body: { reason: 'Send to the new collectors' } });
 * console.log(rollout.id);
 * ```
 */
export function pauseRollout(client: Client, input: PauseRolloutInput, options?: CallOptions): Promise<Rollout> {
  return call(client, { id: 'pauseRollout', method: 'POST', path: '/v1/rollouts/{rolloutID}/pause', status: 200, answers: 'json', repeatable: false }, input, options);
}

/**
 * What resumeRollout takes.
 *
 * @example
 * ```ts
 * const input: ResumeRolloutInput = { rolloutID, body: { reason: 'Send to the new collectors', stage: 1 } };
 * const rollout = await resumeRollout(client, input);
 * console.log(rollout.id);
 * ```
 */
export interface ResumeRolloutInput {
  /** The rollout. */
  readonly rolloutID: string;
  readonly body: BeginStage;
}

/**
 * Resume a rollout that is paused.
 *
 * Its stage begins anew. Needs `update:fleet`.
 *
 * It is `POST /v1/rollouts/{rolloutID}/resume`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['resumeRollout']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const rollout = await resumeRollout(client, { rolloutID, body: { reason: 'Send to the new collectors', stage: 1 } });
 * console.log(rollout.id);
 * ```
 */
export function resumeRollout(client: Client, input: ResumeRolloutInput, options?: CallOptions): Promise<Rollout> {
  return call(client, { id: 'resumeRollout', method: 'POST', path: '/v1/rollouts/{rolloutID}/resume', status: 200, answers: 'json', repeatable: false }, input, options);
}

/**
 * What approveRollout takes.
 *
 * @example
 * ```ts
 * const input: ApproveRolloutInput = { rolloutID, body: { reason: 'Send to the new collectors', stage: 1 } };
 * const rollout = await approveRollout(client, input);
 * console.log(rollout.id);
 * ```
 */
export interface ApproveRolloutInput {
  /** The rollout. */
  readonly rolloutID: string;
  readonly body: BeginStage;
}

/**
 * Approve the next stage of a rollout that waits for it.
 *
 * The next stage begins. Whoever approves it is kept in the rollout and in the audit log. Needs `update:fleet`.
 *
 * It is `POST /v1/rollouts/{rolloutID}/approve`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['approveRollout']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const rollout = await approveRollout(client, { rolloutID, body: { reason: 'Send to the new collectors', stage: 1 } });
 * console.log(rollout.id);
 * ```
 */
export function approveRollout(client: Client, input: ApproveRolloutInput, options?: CallOptions): Promise<Rollout> {
  return call(client, { id: 'approveRollout', method: 'POST', path: '/v1/rollouts/{rolloutID}/approve', status: 200, answers: 'json', repeatable: false }, input, options);
}

/**
 * What stopRollout takes.
 *
 * @example
 * ```ts
 * const input: StopRolloutInput = { rolloutID, body: { reason: 'Send to the new collectors' } };
 * const rollout = await stopRollout(client, input);
 * console.log(rollout.id);
 * ```
 */
export interface StopRolloutInput {
  /** The rollout. */
  readonly rolloutID: string;
  readonly body: RolloutReason;
}

/**
 * Stop a rollout.
 *
 * It ends. Agents that have the version keep it: revert it to give them the version before. Needs `update:fleet`.
 *
 * It is `POST /v1/rollouts/{rolloutID}/stop`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['stopRollout']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const rollout = await stopRollout(client, { rolloutID, body: { reason: 'Send to the new collectors' } });
 * console.log(rollout.id);
 * ```
 */
export function stopRollout(client: Client, input: StopRolloutInput, options?: CallOptions): Promise<Rollout> {
  return call(client, { id: 'stopRollout', method: 'POST', path: '/v1/rollouts/{rolloutID}/stop', status: 200, answers: 'json', repeatable: false }, input, options);
}

/**
 * What revertRollout takes.
 *
 * @example
 * ```ts
 * const input: RevertRolloutInput = { rolloutID, body: { reason: 'Send to the new collectors' } };
 * const rollout = await revertRollout(client, input);
 * console.log(rollout.id);
 * ```
 */
export interface RevertRolloutInput {
  /** The rollout. */
  readonly rolloutID: string;
  readonly body: RolloutReason;
}

/**
 * Give the version before to the agents of a rollout again.
 *
 * Also if it was stopped, unless a newer rollout has begun since. Agents that never got the version are left alone. Needs `update:fleet`.
 *
 * It is `POST /v1/rollouts/{rolloutID}/revert`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['revertRollout']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const rollout = await revertRollout(client, { rolloutID, body: { reason: 'Send to the new collectors' } });
 * console.log(rollout.id);
 * ```
 */
export function revertRollout(client: Client, input: RevertRolloutInput, options?: CallOptions): Promise<Rollout> {
  return call(client, { id: 'revertRollout', method: 'POST', path: '/v1/rollouts/{rolloutID}/revert', status: 200, answers: 'json', repeatable: false }, input, options);
}

/**
 * What promoteRollout takes.
 *
 * @example
 * ```ts
 * const input: PromoteRolloutInput = { rolloutID, body: { reason: 'Send to the new collectors', stage: 1 } };
 * const rollout = await promoteRollout(client, input);
 * console.log(rollout.id);
 * ```
 */
export interface PromoteRolloutInput {
  /** The rollout. */
  readonly rolloutID: string;
  readonly body: BeginStage;
}

/**
 * Begin the next stage of a rollout now.
 *
 * Whatever its agents have shown. After the last stage, the version is the one of the fleet. Needs `update:fleet`.
 *
 * It is `POST /v1/rollouts/{rolloutID}/promote`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['promoteRollout']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const rollout = await promoteRollout(client, { rolloutID, body: { reason: 'Send to the new collectors', stage: 1 } });
 * console.log(rollout.id);
 * ```
 */
export function promoteRollout(client: Client, input: PromoteRolloutInput, options?: CallOptions): Promise<Rollout> {
  return call(client, { id: 'promoteRollout', method: 'POST', path: '/v1/rollouts/{rolloutID}/promote', status: 200, answers: 'json', repeatable: false }, input, options);
}

/**
 * What getFreezeWindows takes.
 *
 * @example
 * ```ts
 * const input: GetFreezeWindowsInput = { projectID };
 * const freezeWindows = await getFreezeWindows(client, input);
 * console.log(freezeWindows.freezeWindows);
 * ```
 */
export interface GetFreezeWindowsInput {
  /** The project. */
  readonly projectID: string;
}

/**
 * List when no rollout of a project starts.
 *
 * Says also whether that is now. Needs `read:fleet`.
 *
 * It is `GET /v1/projects/{projectID}/freeze_windows`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getFreezeWindows']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const freezeWindows = await getFreezeWindows(client, { projectID });
 * console.log(freezeWindows.freezeWindows);
 * ```
 */
export function getFreezeWindows(client: Client, input: GetFreezeWindowsInput, options?: CallOptions): Promise<FreezeWindows> {
  return call(client, { id: 'getFreezeWindows', method: 'GET', path: '/v1/projects/{projectID}/freeze_windows', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What updateFreezeWindows takes.
 *
 * @example
 * ```ts
 * const input: UpdateFreezeWindowsInput = { projectID, body: { freezeWindows: [{ name: 'weekend', weekdays: ['fri'], from: '18:00', to: '08:00', zone: 'Europe/Berlin' }] } };
 * const freezeWindows = await updateFreezeWindows(client, input);
 * console.log(freezeWindows.freezeWindows);
 * ```
 */
export interface UpdateFreezeWindowsInput {
  /** The project. */
  readonly projectID: string;
  readonly body: UpdateFreezeWindows;
}

/**
 * Set when no rollout of a project starts.
 *
 * Replaces all windows. During a freeze no rollout starts and no stage begins. Agents that have a version are still watched, and a rollout still stops and goes back. Needs `update:project`.
 *
 * It is `PATCH /v1/projects/{projectID}/freeze_windows`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['updateFreezeWindows']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const freezeWindows = await updateFreezeWindows(client, { projectID, body: { freezeWindows: [{ name: 'weekend', weekdays: ['fri'], from: '18:00', to: '08:00', zone: 'Europe/Berlin' }] } });
 * console.log(freezeWindows.freezeWindows);
 * ```
 */
export function updateFreezeWindows(client: Client, input: UpdateFreezeWindowsInput, options?: CallOptions): Promise<FreezeWindows> {
  return call(client, { id: 'updateFreezeWindows', method: 'PATCH', path: '/v1/projects/{projectID}/freeze_windows', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What createCoreInstance takes.
 *
 * @example
 * ```ts
 * const input: CreateCoreInstanceInput = { body: { name: 'plant-7', tags: ['eu-west-1'] } };
 * const coreInstanceWithToken = await createCoreInstance(client, input);
 * console.log(coreInstanceWithToken.id);
 * ```
 */
export interface CreateCoreInstanceInput {
  readonly body: CreateCoreInstance;
}

/**
 * Create a core instance.
 *
 * In the project of the token. Repeatable with the same `instanceKey`: that core instance gets a new token, and its earlier one ends. The core instance goes on if the project token is revoked. This and all other paths with `core_instances` are also at `aggregators`. Needs `create:core_instance`.
 *
 * It is `POST /v1/core_instances`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['createCoreInstance']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const coreInstanceWithToken = await createCoreInstance(client, { body: { name: 'plant-7', tags: ['eu-west-1'] } });
 * console.log(coreInstanceWithToken.id);
 * ```
 */
export function createCoreInstance(client: Client, input: CreateCoreInstanceInput, options?: CallOptions): Promise<CoreInstanceWithToken> {
  return call(client, { id: 'createCoreInstance', method: 'POST', path: '/v1/core_instances', status: 201, answers: 'json', repeatable: false }, input, options);
}

/**
 * What listCoreInstances takes.
 *
 * @example
 * ```ts
 * const input: ListCoreInstancesInput = { projectID };
 * for await (const coreInstance of listCoreInstances(client, input)) console.log(coreInstance.id);
 * ```
 */
export interface ListCoreInstancesInput {
  /** The project. */
  readonly projectID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
  /** Only core instances with exactly this name; `*` matches any run of characters (`ci-*`). */
  readonly name?: string | undefined;
  /** Only core instances in this state. */
  readonly status?: 'waiting' | 'running' | 'unreachable' | undefined;
  /** Only core instances with this tag. */
  readonly tag?: string | undefined;
}

/**
 * List core instances of a project.
 *
 * Newest first. Needs `read:core_instance`.
 *
 * It is `GET /v1/projects/{projectID}/core_instances`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listCoreInstances']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const coreInstance of listCoreInstances(client, { projectID })) console.log(coreInstance.id);
 * ```
 */
export function listCoreInstances(client: Client, input: ListCoreInstancesInput, options?: CallOptions): PagedList<CoreInstance> {
  return list(client, { id: 'listCoreInstances', method: 'GET', path: '/v1/projects/{projectID}/core_instances', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What getCoreInstance takes.
 *
 * @example
 * ```ts
 * const input: GetCoreInstanceInput = { coreInstanceID };
 * const coreInstance = await getCoreInstance(client, input);
 * console.log(coreInstance.id);
 * ```
 */
export interface GetCoreInstanceInput {
  /** The core instance. */
  readonly coreInstanceID: string;
}

/**
 * Get a core instance. Needs `read:core_instance`.
 *
 * It is `GET /v1/core_instances/{coreInstanceID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getCoreInstance']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const coreInstance = await getCoreInstance(client, { coreInstanceID });
 * console.log(coreInstance.id);
 * ```
 */
export function getCoreInstance(client: Client, input: GetCoreInstanceInput, options?: CallOptions): Promise<CoreInstance> {
  return call(client, { id: 'getCoreInstance', method: 'GET', path: '/v1/core_instances/{coreInstanceID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What updateCoreInstance takes.
 *
 * @example
 * ```ts
 * const input: UpdateCoreInstanceInput = { coreInstanceID, body: { name: 'plant-7', tags: ['eu-west-1'] } };
 * const coreInstance = await updateCoreInstance(client, input);
 * console.log(coreInstance.id);
 * ```
 */
export interface UpdateCoreInstanceInput {
  /** The core instance. */
  readonly coreInstanceID: string;
  readonly body: UpdateCoreInstance;
}

/**
 * Change a core instance.
 *
 * Absent and null fields stay as they are. Needs `update:core_instance`.
 *
 * It is `PATCH /v1/core_instances/{coreInstanceID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['updateCoreInstance']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const coreInstance = await updateCoreInstance(client, { coreInstanceID, body: { name: 'plant-7', tags: ['eu-west-1'] } });
 * console.log(coreInstance.id);
 * ```
 */
export function updateCoreInstance(client: Client, input: UpdateCoreInstanceInput, options?: CallOptions): Promise<CoreInstance> {
  return call(client, { id: 'updateCoreInstance', method: 'PATCH', path: '/v1/core_instances/{coreInstanceID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What deleteCoreInstance takes.
 *
 * @example
 * ```ts
 * const input: DeleteCoreInstanceInput = { coreInstanceID };
 * await deleteCoreInstance(client, input);
 * ```
 */
export interface DeleteCoreInstanceInput {
  /** The core instance. */
  readonly coreInstanceID: string;
}

/**
 * Delete a core instance.
 *
 * What waits at the site is not accepted any more. The agents behind it stay: they can report to another core instance, or to this service. Needs `delete:core_instance`.
 *
 * It is `DELETE /v1/core_instances/{coreInstanceID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['deleteCoreInstance']`; MusterConnectionError
 *
 * @example
 * ```ts
 * await deleteCoreInstance(client, { coreInstanceID });
 * ```
 */
export function deleteCoreInstance(client: Client, input: DeleteCoreInstanceInput, options?: CallOptions): Promise<void> {
  return call(client, { id: 'deleteCoreInstance', method: 'DELETE', path: '/v1/core_instances/{coreInstanceID}', status: 204, answers: 'nothing', repeatable: true }, input, options);
}

/**
 * What getSiteFleetContent takes.
 *
 * @example
 * ```ts
 * const input: GetSiteFleetContentInput = { content: 'web-01' };
 * const siteFleetContent = await getSiteFleetContent(client, input);
 * console.log(siteFleetContent.classic);
 * ```
 */
export interface GetSiteFleetContentInput {
  /** The key, from the list of fleets. */
  readonly content: string;
  /** True: agents reach the site with TLS. */
  readonly tls?: boolean | undefined;
}

/**
 * Get what agents of a fleet get.
 *
 * The configuration in both formats of agents, and the files. The address to which agents report their errors is left open, since it is that of the site.
 *
 * It is `GET /v1/core_instances/self/fleet_contents/{content}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getSiteFleetContent']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const siteFleetContent = await getSiteFleetContent(client, { content: 'web-01' });
 * console.log(siteFleetContent.classic);
 * ```
 */
export function getSiteFleetContent(client: Client, input: GetSiteFleetContentInput, options?: CallOptions): Promise<SiteFleetContent> {
  return call(client, { id: 'getSiteFleetContent', method: 'GET', path: '/v1/core_instances/self/fleet_contents/{content}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What rotateCoreInstance takes.
 *
 * @example
 * ```ts
 * const input: RotateCoreInstanceInput = { coreInstanceID, body: { graceSeconds: 86400 } };
 * const coreInstance = await rotateCoreInstance(client, input);
 * console.log(coreInstance.id);
 * ```
 */
export interface RotateCoreInstanceInput {
  /** The core instance. */
  readonly coreInstanceID: string;
  readonly body: RotateCoreInstance;
}

/**
 * Rotate the token of a core instance.
 *
 * The answer to its next batch tells the core instance to get a new token (`rotateBefore`), and the current one ends when that is used for the first time. A core instance that is not heard within `graceSeconds`, and one whose token was revoked, has to join again with a project token, as the same core instance. With 0, the current token ends at once. Needs `update:core_instance`.
 *
 * It is `POST /v1/core_instances/{coreInstanceID}/rotate`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['rotateCoreInstance']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const coreInstance = await rotateCoreInstance(client, { coreInstanceID, body: { graceSeconds: 86400 } });
 * console.log(coreInstance.id);
 * ```
 */
export function rotateCoreInstance(client: Client, input: RotateCoreInstanceInput, options?: CallOptions): Promise<CoreInstance> {
  return call(client, { id: 'rotateCoreInstance', method: 'POST', path: '/v1/core_instances/{coreInstanceID}/rotate', status: 200, answers: 'json', repeatable: false }, input, options);
}

/**
 * What rotateOwnCoreInstance takes.
 *
 * @example
 * ```ts
 * const input: RotateOwnCoreInstanceInput = { body: { graceSeconds: 86400 } };
 * const coreInstanceWithToken = await rotateOwnCoreInstance(client, input);
 * console.log(coreInstanceWithToken.id);
 * ```
 */
export interface RotateOwnCoreInstanceInput {
  readonly body: RotateCoreInstance;
}

/**
 * Rotate the token of the request.
 *
 * Gives the core instance a new token. The current one ends when the new one is used for the first time, or after `graceSeconds`, so that a lost answer locks nobody out: repeat the request with the current one, and keep that one until the new one was accepted.
 *
 * It is `POST /v1/core_instances/self/rotate`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['rotateOwnCoreInstance']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const coreInstanceWithToken = await rotateOwnCoreInstance(client, { body: { graceSeconds: 86400 } });
 * console.log(coreInstanceWithToken.id);
 * ```
 */
export function rotateOwnCoreInstance(client: Client, input: RotateOwnCoreInstanceInput, options?: CallOptions): Promise<CoreInstanceWithToken> {
  return call(client, { id: 'rotateOwnCoreInstance', method: 'POST', path: '/v1/core_instances/self/rotate', status: 200, answers: 'json', repeatable: false }, input, options);
}

/**
 * What sendCoreInstanceBatch takes.
 *
 * @example
 * ```ts
 * const input: SendCoreInstanceBatchInput = { body: { protocol: 1, sequence: 42, status: { version: '0.1.0', startedAt: 1772446830456, spooledCount: 0, spooledBytes: 0, oldestSpooledAt: 1772446830456, lostCount: 0, lastLossAt: 1772446830456, sentAt: 1772446830456 }, items: [{ kind: 'errors', by: { tokenID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d' }, machineID: 'edge-7.example.com', errors: [{ error: 'disk full', firstAt: 1772446770456, lastAt: 1772446829456, count: 3 }] }] } };
 * const coreInstanceBatchResult = await sendCoreInstanceBatch(client, input);
 * console.log(coreInstanceBatchResult.sequence);
 * ```
 */
export interface SendCoreInstanceBatchInput {
  readonly body: CoreInstanceBatch;
}

/**
 * Send what agents sent to the site.
 *
 * Applied exactly once: a batch whose `sequence` is not above that of the newest one changes nothing. A gap is accepted. An item that is not acceptable is refused alone. Times are corrected by the difference of the clocks, and are at most now and at least seven days ago. The body may be compressed (`Content-Encoding: gzip`). Without items, it is a sign of life. The limits on new errors by time do not apply, because all that agents reported during an outage comes at once. A core instance that sends more than 10,000 items and errors a second gets 503 with `Retry-After`.
 *
 * It is `POST /v1/core_instances/self/batches`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['sendCoreInstanceBatch']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const coreInstanceBatchResult = await sendCoreInstanceBatch(client, { body: { protocol: 1, sequence: 42, status: { version: '0.1.0', startedAt: 1772446830456, spooledCount: 0, spooledBytes: 0, oldestSpooledAt: 1772446830456, lostCount: 0, lastLossAt: 1772446830456, sentAt: 1772446830456 }, items: [{ kind: 'errors', by: { tokenID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d' }, machineID: 'edge-7.example.com', errors: [{ error: 'disk full', firstAt: 1772446770456, lastAt: 1772446829456, count: 3 }] }] } });
 * console.log(coreInstanceBatchResult.sequence);
 * ```
 */
export function sendCoreInstanceBatch(client: Client, input: SendCoreInstanceBatchInput, options?: CallOptions): Promise<CoreInstanceBatchResult> {
  return call(client, { id: 'sendCoreInstanceBatch', method: 'POST', path: '/v1/core_instances/self/batches', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What listSiteCredentials takes.
 *
 * @example
 * ```ts
 * const input: ListSiteCredentialsInput = {};
 * const siteCredentials = await listSiteCredentials(client, input);
 * console.log(siteCredentials.limits);
 * ```
 */
export interface ListSiteCredentialsInput {
  /** From the answer before. Absent: from the start. */
  readonly cursor?: string | undefined;
}

/**
 * List the credentials of the project.
 *
 * The digests of all project tokens and agent tokens of the project, and then what has changed: ask again with the `cursor` of each answer, at once while `more` is true, and then every 15 seconds, or when a credential is not known. The digests are as this service stores them: of 256 random bits, nothing can be learned from them.
 *
 * It is `GET /v1/core_instances/self/credentials`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listSiteCredentials']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const siteCredentials = await listSiteCredentials(client);
 * console.log(siteCredentials.limits);
 * ```
 */
export function listSiteCredentials(client: Client, input: ListSiteCredentialsInput = {}, options?: CallOptions): Promise<SiteCredentials> {
  return call(client, { id: 'listSiteCredentials', method: 'GET', path: '/v1/core_instances/self/credentials', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What listSiteFleets takes.
 *
 * @example
 * ```ts
 * const input: ListSiteFleetsInput = {};
 * const siteFleets = await listSiteFleets(client, input);
 * console.log(siteFleets.cursor);
 * ```
 */
export interface ListSiteFleetsInput {
  /** From the answer before. Absent: from the start. */
  readonly cursor?: string | undefined;
}

/**
 * List what fleets serve to the agents of the site.
 *
 * With the `cursor` of the answer before, the answer is empty while nothing has changed. Ask every 15 seconds, and when `fleetGeneration` in the answer to a batch has changed. Which agents get the version of a rollout is decided here alone: a core instance that hears nothing gives it to nobody else.
 *
 * It is `GET /v1/core_instances/self/fleets`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listSiteFleets']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const siteFleets = await listSiteFleets(client);
 * console.log(siteFleets.cursor);
 * ```
 */
export function listSiteFleets(client: Client, input: ListSiteFleetsInput = {}, options?: CallOptions): Promise<SiteFleets> {
  return call(client, { id: 'listSiteFleets', method: 'GET', path: '/v1/core_instances/self/fleets', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What listAlertChannels takes.
 *
 * @example
 * ```ts
 * const input: ListAlertChannelsInput = { projectID };
 * for await (const alertChannel of listAlertChannels(client, input)) console.log(alertChannel.id);
 * ```
 */
export interface ListAlertChannelsInput {
  /** The project. */
  readonly projectID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
}

/**
 * List alert channels of a project.
 *
 * Newest first. No answer contains addresses, keys or secrets of channels. Needs `read:webhook`.
 *
 * It is `GET /v1/projects/{projectID}/alert_channels`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listAlertChannels']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const alertChannel of listAlertChannels(client, { projectID })) console.log(alertChannel.id);
 * ```
 */
export function listAlertChannels(client: Client, input: ListAlertChannelsInput, options?: CallOptions): PagedList<AlertChannel> {
  return list(client, { id: 'listAlertChannels', method: 'GET', path: '/v1/projects/{projectID}/alert_channels', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What createAlertChannel takes.
 *
 * @example
 * ```ts
 * const input: CreateAlertChannelInput = { projectID, body: { name: 'on-call', kind: 'mail', recipients: ['on-call@example.com'] } };
 * const createdAlertChannel = await createAlertChannel(client, input);
 * console.log(createdAlertChannel.id);
 * ```
 */
export interface CreateAlertChannelInput {
  /** The project. */
  readonly projectID: string;
  readonly body: CreateAlertChannel;
}

/**
 * Create an alert channel.
 *
 * Messages of a webhook are signed (Standard Webhooks), and this answer alone contains the secret. Addresses in private networks are refused unless MUSTER_ALERT_ALLOWED_HOSTS names them. Needs `create:webhook`.
 *
 * It is `POST /v1/projects/{projectID}/alert_channels`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['createAlertChannel']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const createdAlertChannel = await createAlertChannel(client, { projectID, body: { name: 'on-call', kind: 'mail', recipients: ['on-call@example.com'] } });
 * console.log(createdAlertChannel.id);
 * ```
 */
export function createAlertChannel(client: Client, input: CreateAlertChannelInput, options?: CallOptions): Promise<CreatedAlertChannel> {
  return call(client, { id: 'createAlertChannel', method: 'POST', path: '/v1/projects/{projectID}/alert_channels', status: 201, answers: 'json', repeatable: false }, input, options);
}

/**
 * What getAlertChannel takes.
 *
 * @example
 * ```ts
 * const input: GetAlertChannelInput = { alertChannelID };
 * const alertChannel = await getAlertChannel(client, input);
 * console.log(alertChannel.id);
 * ```
 */
export interface GetAlertChannelInput {
  /** The channel. */
  readonly alertChannelID: string;
}

/**
 * Get an alert channel. Needs `read:webhook`.
 *
 * It is `GET /v1/alert_channels/{alertChannelID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getAlertChannel']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const alertChannel = await getAlertChannel(client, { alertChannelID });
 * console.log(alertChannel.id);
 * ```
 */
export function getAlertChannel(client: Client, input: GetAlertChannelInput, options?: CallOptions): Promise<AlertChannel> {
  return call(client, { id: 'getAlertChannel', method: 'GET', path: '/v1/alert_channels/{alertChannelID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What updateAlertChannel takes.
 *
 * @example
 * ```ts
 * const input: UpdateAlertChannelInput = { alertChannelID, body: { name: 'on-call', recipients: ['on-call@example.com'] } };
 * const alertChannel = await updateAlertChannel(client, input);
 * console.log(alertChannel.id);
 * ```
 */
export interface UpdateAlertChannelInput {
  /** The channel. */
  readonly alertChannelID: string;
  readonly body: UpdateAlertChannel;
}

/**
 * Change an alert channel.
 *
 * A new address or key replaces the stored one. The kind stays. Needs `update:webhook`.
 *
 * It is `PATCH /v1/alert_channels/{alertChannelID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['updateAlertChannel']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const alertChannel = await updateAlertChannel(client, { alertChannelID, body: { name: 'on-call', recipients: ['on-call@example.com'] } });
 * console.log(alertChannel.id);
 * ```
 */
export function updateAlertChannel(client: Client, input: UpdateAlertChannelInput, options?: CallOptions): Promise<AlertChannel> {
  return call(client, { id: 'updateAlertChannel', method: 'PATCH', path: '/v1/alert_channels/{alertChannelID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What deleteAlertChannel takes.
 *
 * @example
 * ```ts
 * const input: DeleteAlertChannelInput = { alertChannelID };
 * await deleteAlertChannel(client, input);
 * ```
 */
export interface DeleteAlertChannelInput {
  /** The channel. */
  readonly alertChannelID: string;
}

/**
 * Delete an alert channel.
 *
 * Its waiting messages are dropped, and rules no longer name it. Needs `delete:webhook`.
 *
 * It is `DELETE /v1/alert_channels/{alertChannelID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['deleteAlertChannel']`; MusterConnectionError
 *
 * @example
 * ```ts
 * await deleteAlertChannel(client, { alertChannelID });
 * ```
 */
export function deleteAlertChannel(client: Client, input: DeleteAlertChannelInput, options?: CallOptions): Promise<void> {
  return call(client, { id: 'deleteAlertChannel', method: 'DELETE', path: '/v1/alert_channels/{alertChannelID}', status: 204, answers: 'nothing', repeatable: true }, input, options);
}

/**
 * What rotateAlertChannel takes.
 *
 * @example
 * ```ts
 * const input: RotateAlertChannelInput = { alertChannelID, body: {  } };
 * const rotatedAlertChannel = await rotateAlertChannel(client, input);
 * console.log(rotatedAlertChannel.secret);
 * ```
 */
export interface RotateAlertChannelInput {
  /** The channel. */
  readonly alertChannelID: string;
  readonly body: RotateAlertChannel;
}

/**
 * Rotate the secret of a webhook.
 *
 * Until the grace ends, messages have a signature with the new secret and one with the earlier secret, so that the receiver can change it without losing a message. Needs `update:webhook`.
 *
 * It is `POST /v1/alert_channels/{alertChannelID}/rotate`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['rotateAlertChannel']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const rotatedAlertChannel = await rotateAlertChannel(client, { alertChannelID, body: {  } });
 * console.log(rotatedAlertChannel.secret);
 * ```
 */
export function rotateAlertChannel(client: Client, input: RotateAlertChannelInput, options?: CallOptions): Promise<RotatedAlertChannel> {
  return call(client, { id: 'rotateAlertChannel', method: 'POST', path: '/v1/alert_channels/{alertChannelID}/rotate', status: 200, answers: 'json', repeatable: false }, input, options);
}

/**
 * What testAlertChannel takes.
 *
 * @example
 * ```ts
 * const input: TestAlertChannelInput = { alertChannelID };
 * const alertDelivery = await testAlertChannel(client, input);
 * console.log(alertDelivery.id);
 * ```
 */
export interface TestAlertChannelInput {
  /** The channel. */
  readonly alertChannelID: string;
}

/**
 * Send a test message.
 *
 * Sends a message at once, whatever the quiet hours, and answers what the channel answered. It is tried once. Works for a disabled channel too. Needs `update:webhook`.
 *
 * It is `POST /v1/alert_channels/{alertChannelID}/test`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['testAlertChannel']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const alertDelivery = await testAlertChannel(client, { alertChannelID });
 * console.log(alertDelivery.id);
 * ```
 */
export function testAlertChannel(client: Client, input: TestAlertChannelInput, options?: CallOptions): Promise<AlertDelivery> {
  return call(client, { id: 'testAlertChannel', method: 'POST', path: '/v1/alert_channels/{alertChannelID}/test', status: 200, answers: 'json', repeatable: false }, input, options);
}

/**
 * What listAlertDeliveries takes.
 *
 * @example
 * ```ts
 * const input: ListAlertDeliveriesInput = { projectID };
 * for await (const alertDelivery of listAlertDeliveries(client, input)) console.log(alertDelivery.id);
 * ```
 */
export interface ListAlertDeliveriesInput {
  /** The project. */
  readonly projectID: string;
  /** Only messages to this channel. */
  readonly channel_id?: string | undefined;
  /** Only messages in this state. */
  readonly state?: 'waiting' | 'delivered' | 'failed' | undefined;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
}

/**
 * List messages to alert channels.
 *
 * Newest first. Kept for MUSTER_ALERT_DELIVERIES_DAYS. Needs `read:webhook`.
 *
 * It is `GET /v1/projects/{projectID}/alert_deliveries`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listAlertDeliveries']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const alertDelivery of listAlertDeliveries(client, { projectID })) console.log(alertDelivery.id);
 * ```
 */
export function listAlertDeliveries(client: Client, input: ListAlertDeliveriesInput, options?: CallOptions): PagedList<AlertDelivery> {
  return list(client, { id: 'listAlertDeliveries', method: 'GET', path: '/v1/projects/{projectID}/alert_deliveries', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What listAlertRules takes.
 *
 * @example
 * ```ts
 * const input: ListAlertRulesInput = { projectID };
 * for await (const alertRule of listAlertRules(client, input)) console.log(alertRule.id);
 * ```
 */
export interface ListAlertRulesInput {
  /** The project. */
  readonly projectID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
}

/**
 * List alert rules of a project.
 *
 * Newest first. Needs `read:webhook`.
 *
 * It is `GET /v1/projects/{projectID}/alert_rules`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listAlertRules']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const alertRule of listAlertRules(client, { projectID })) console.log(alertRule.id);
 * ```
 */
export function listAlertRules(client: Client, input: ListAlertRulesInput, options?: CallOptions): PagedList<AlertRule> {
  return list(client, { id: 'listAlertRules', method: 'GET', path: '/v1/projects/{projectID}/alert_rules', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What createAlertRule takes.
 *
 * @example
 * ```ts
 * const input: CreateAlertRuleInput = { projectID, body: { name: 'bad rollouts', kind: 'new_group' } };
 * const alertRule = await createAlertRule(client, input);
 * console.log(alertRule.id);
 * ```
 */
export interface CreateAlertRuleInput {
  /** The project. */
  readonly projectID: string;
  readonly body: CreateAlertRule;
}

/**
 * Create an alert rule.
 *
 * It applies to what happens from now on, and to agents and tokens as they are. There is one message for each group, token or core instance, and one when it is over; events, such as a rollout that stopped, have one each. Needs `create:webhook`.
 *
 * It is `POST /v1/projects/{projectID}/alert_rules`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['createAlertRule']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const alertRule = await createAlertRule(client, { projectID, body: { name: 'bad rollouts', kind: 'new_group' } });
 * console.log(alertRule.id);
 * ```
 */
export function createAlertRule(client: Client, input: CreateAlertRuleInput, options?: CallOptions): Promise<AlertRule> {
  return call(client, { id: 'createAlertRule', method: 'POST', path: '/v1/projects/{projectID}/alert_rules', status: 201, answers: 'json', repeatable: false }, input, options);
}

/**
 * What previewAlertRule takes.
 *
 * @example
 * ```ts
 * const input: PreviewAlertRuleInput = { projectID, body: { name: 'bad rollouts', kind: 'new_group' } };
 * const alertRulePreview = await previewAlertRule(client, input);
 * console.log(alertRulePreview.since);
 * ```
 */
export interface PreviewAlertRuleInput {
  /** The project. */
  readonly projectID: string;
  readonly body: CreateAlertRule;
}

/**
 * Preview an alert rule.
 *
 * What a rule would have told in the last 7 days, as far as what is stored tells it. Nothing is stored or sent. Needs `create:webhook`.
 *
 * It is `POST /v1/projects/{projectID}/alert_rules/preview`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['previewAlertRule']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const alertRulePreview = await previewAlertRule(client, { projectID, body: { name: 'bad rollouts', kind: 'new_group' } });
 * console.log(alertRulePreview.since);
 * ```
 */
export function previewAlertRule(client: Client, input: PreviewAlertRuleInput, options?: CallOptions): Promise<AlertRulePreview> {
  return call(client, { id: 'previewAlertRule', method: 'POST', path: '/v1/projects/{projectID}/alert_rules/preview', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What getAlertRule takes.
 *
 * @example
 * ```ts
 * const input: GetAlertRuleInput = { alertRuleID };
 * const alertRule = await getAlertRule(client, input);
 * console.log(alertRule.id);
 * ```
 */
export interface GetAlertRuleInput {
  /** The rule. */
  readonly alertRuleID: string;
}

/**
 * Get an alert rule. Needs `read:webhook`.
 *
 * It is `GET /v1/alert_rules/{alertRuleID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getAlertRule']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const alertRule = await getAlertRule(client, { alertRuleID });
 * console.log(alertRule.id);
 * ```
 */
export function getAlertRule(client: Client, input: GetAlertRuleInput, options?: CallOptions): Promise<AlertRule> {
  return call(client, { id: 'getAlertRule', method: 'GET', path: '/v1/alert_rules/{alertRuleID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What updateAlertRule takes.
 *
 * @example
 * ```ts
 * const input: UpdateAlertRuleInput = { alertRuleID, body: { name: 'bad rollouts' } };
 * const alertRule = await updateAlertRule(client, input);
 * console.log(alertRule.id);
 * ```
 */
export interface UpdateAlertRuleInput {
  /** The rule. */
  readonly alertRuleID: string;
  readonly body: UpdateAlertRule;
}

/**
 * Change an alert rule.
 *
 * The kind stays. What a rule that is disabled has found counts as over. Needs `update:webhook`.
 *
 * It is `PATCH /v1/alert_rules/{alertRuleID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['updateAlertRule']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const alertRule = await updateAlertRule(client, { alertRuleID, body: { name: 'bad rollouts' } });
 * console.log(alertRule.id);
 * ```
 */
export function updateAlertRule(client: Client, input: UpdateAlertRuleInput, options?: CallOptions): Promise<AlertRule> {
  return call(client, { id: 'updateAlertRule', method: 'PATCH', path: '/v1/alert_rules/{alertRuleID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What deleteAlertRule takes.
 *
 * @example
 * ```ts
 * const input: DeleteAlertRuleInput = { alertRuleID };
 * await deleteAlertRule(client, input);
 * ```
 */
export interface DeleteAlertRuleInput {
  /** The rule. */
  readonly alertRuleID: string;
}

/**
 * Delete an alert rule.
 *
 * What it has found counts as over. Needs `delete:webhook`.
 *
 * It is `DELETE /v1/alert_rules/{alertRuleID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['deleteAlertRule']`; MusterConnectionError
 *
 * @example
 * ```ts
 * await deleteAlertRule(client, { alertRuleID });
 * ```
 */
export function deleteAlertRule(client: Client, input: DeleteAlertRuleInput, options?: CallOptions): Promise<void> {
  return call(client, { id: 'deleteAlertRule', method: 'DELETE', path: '/v1/alert_rules/{alertRuleID}', status: 204, answers: 'nothing', repeatable: true }, input, options);
}

/**
 * What listAuditEntries takes.
 *
 * @example
 * ```ts
 * const input: ListAuditEntriesInput = { projectID };
 * for await (const auditEntry of listAuditEntries(client, input)) console.log(auditEntry.id);
 * ```
 */
export interface ListAuditEntriesInput {
  /** The project. */
  readonly projectID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
  /** Only what this user, token or agent did. */
  readonly actor_id?: string | undefined;
  /** Only this action; `token.*` means all that begin with `token.`. Actions: `project.created`, `project.updated`, `project.deleted`, `project.departing`, `project.frozen`, `project.thawed`, `project.moved`, `project.arriving`, `project.arrived`, `token.created`, `token.updated`, `token.rotated`, `token.earlier_values_ended`, `token.revoked`, `token.leaked`, `access_token.created`, `access_token.rotated`, `access_token.earlier_values_ended`, `access_token.revoked`, `access_token.leaked`, `sign_in_link.created`, `sign_in_link.leaked`, `session.created`, `session.revoked`, `session.leaked`, `user.created`, `user.updated`, `user.removed`, `member.added`, `member.updated`, `member.removed`, `invitation.created`, `invitation.accepted`, `invitation.revoked`, `agent.updated`, `agent.configuration_changed`, `agent.released`, `agent.deleted`, `agents.deleted`, `fleet.created`, `fleet.updated`, `fleet.version_created`, `fleet.deleted`, `fleet.agents_moved`, `fleet.variables_changed`, `fleet.secrets_changed`, `rollout.started`, `rollout.paused`, `rollout.resumed`, `rollout.stopped`, `rollout.reverted`, `rollout.waiting`, `rollout.approved`, `rollout.promoted`, `rollout.completed`, `core_instance.created`, `core_instance.updated`, `core_instance.rotated`, `core_instance.earlier_values_ended`, `core_instance.deleted`, `core_instance.leaked`, `agent_error.dismissed`, `agent_error.reopened`, `agent_error_group.updated`, `agent_error_group.muted`, `agent_error_group.unmuted`, `dismissal.created`, `dismissal.finished`, `dismissal.undone`, `dismissal.undo_finished`, `alert_channel.created`, `alert_channel.updated`, `alert_channel.deleted`, `alert_rule.created`, `alert_rule.updated`, `alert_rule.deleted`, `provisioning.applied`, `request.denied`. */
  readonly action?: string | undefined;
  /** Only what was done to the thing with this id; of `request.denied`, the operation. */
  readonly target_id?: string | undefined;
  /** Only entries from this time on. */
  readonly since?: string | undefined;
  /** Only entries before this time. */
  readonly until?: string | undefined;
}

/**
 * List the audit log of a project.
 *
 * Who changed what, newest first. Needs `update:member` too, so that only owners and administrators see it, and tokens that they have given both permissions. Needs `read:audit_log` and `update:member`.
 *
 * It is `GET /v1/projects/{projectID}/audit_log`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listAuditEntries']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const auditEntry of listAuditEntries(client, { projectID })) console.log(auditEntry.id);
 * ```
 */
export function listAuditEntries(client: Client, input: ListAuditEntriesInput, options?: CallOptions): PagedList<AuditEntry> {
  return list(client, { id: 'listAuditEntries', method: 'GET', path: '/v1/projects/{projectID}/audit_log', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What getAuditChain takes.
 *
 * @example
 * ```ts
 * const input: GetAuditChainInput = { projectID };
 * const auditChain = await getAuditChain(client, input);
 * console.log(auditChain.format);
 * ```
 */
export interface GetAuditChainInput {
  /** The project. */
  readonly projectID: string;
}

/**
 * Get the ends of the audit log of a project.
 *
 * What a verification begins and ends with. Keep `head` elsewhere to prove later that no entry up to it was removed. Needs `read:audit_log` and `update:member`.
 *
 * It is `GET /v1/projects/{projectID}/audit_log/chain`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getAuditChain']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const auditChain = await getAuditChain(client, { projectID });
 * console.log(auditChain.format);
 * ```
 */
export function getAuditChain(client: Client, input: GetAuditChainInput, options?: CallOptions): Promise<AuditChain> {
  return call(client, { id: 'getAuditChain', method: 'GET', path: '/v1/projects/{projectID}/audit_log/chain', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What exportAuditLog takes.
 *
 * @example
 * ```ts
 * const input: ExportAuditLogInput = { projectID };
 * const text = await exportAuditLog(client, input);
 * console.log(text);
 * ```
 */
export interface ExportAuditLogInput {
  /** The project. */
  readonly projectID: string;
  /** Only entries with a higher sequence number, to continue an earlier export. Absent: all. */
  readonly after?: number | undefined;
  /** At most so many entries. Continue with `after`. Absent: all. */
  readonly limit?: number | undefined;
}

/**
 * Export the audit log of a project.
 *
 * JSON lines: first an AuditChain, then each AuditEntry, oldest first. `muster audit verify FILE` checks such a file. Needs `read:audit_log` and `update:member`.
 *
 * It is `GET /v1/projects/{projectID}/audit_log/export`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['exportAuditLog']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const text = await exportAuditLog(client, { projectID });
 * console.log(text);
 * ```
 */
export function exportAuditLog(client: Client, input: ExportAuditLogInput, options?: CallOptions): Promise<string> {
  return call(client, { id: 'exportAuditLog', method: 'GET', path: '/v1/projects/{projectID}/audit_log/export', status: 200, answers: 'text', repeatable: true }, input, options);
}

/**
 * What listInstallationAuditEntries takes.
 *
 * @example
 * ```ts
 * const input: ListInstallationAuditEntriesInput = {};
 * for await (const auditEntry of listInstallationAuditEntries(client, input)) console.log(auditEntry.id);
 * ```
 */
export interface ListInstallationAuditEntriesInput {
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
  /** Only what this user, token or agent did. */
  readonly actor_id?: string | undefined;
  /** Only this action; `token.*` means all that begin with `token.`. Actions: `project.created`, `project.updated`, `project.deleted`, `project.departing`, `project.frozen`, `project.thawed`, `project.moved`, `project.arriving`, `project.arrived`, `token.created`, `token.updated`, `token.rotated`, `token.earlier_values_ended`, `token.revoked`, `token.leaked`, `access_token.created`, `access_token.rotated`, `access_token.earlier_values_ended`, `access_token.revoked`, `access_token.leaked`, `sign_in_link.created`, `sign_in_link.leaked`, `session.created`, `session.revoked`, `session.leaked`, `user.created`, `user.updated`, `user.removed`, `member.added`, `member.updated`, `member.removed`, `invitation.created`, `invitation.accepted`, `invitation.revoked`, `agent.updated`, `agent.configuration_changed`, `agent.released`, `agent.deleted`, `agents.deleted`, `fleet.created`, `fleet.updated`, `fleet.version_created`, `fleet.deleted`, `fleet.agents_moved`, `fleet.variables_changed`, `fleet.secrets_changed`, `rollout.started`, `rollout.paused`, `rollout.resumed`, `rollout.stopped`, `rollout.reverted`, `rollout.waiting`, `rollout.approved`, `rollout.promoted`, `rollout.completed`, `core_instance.created`, `core_instance.updated`, `core_instance.rotated`, `core_instance.earlier_values_ended`, `core_instance.deleted`, `core_instance.leaked`, `agent_error.dismissed`, `agent_error.reopened`, `agent_error_group.updated`, `agent_error_group.muted`, `agent_error_group.unmuted`, `dismissal.created`, `dismissal.finished`, `dismissal.undone`, `dismissal.undo_finished`, `alert_channel.created`, `alert_channel.updated`, `alert_channel.deleted`, `alert_rule.created`, `alert_rule.updated`, `alert_rule.deleted`, `provisioning.applied`, `request.denied`. */
  readonly action?: string | undefined;
  /** Only what was done to the thing with this id; of `request.denied`, the operation. */
  readonly target_id?: string | undefined;
  /** Only entries from this time on. */
  readonly since?: string | undefined;
  /** Only entries before this time. */
  readonly until?: string | undefined;
  /** Only the log of this project, which may have been deleted. */
  readonly project_id?: string | undefined;
}

/**
 * List the audit log of the installation.
 *
 * Newest first: what belongs to no project (users, access tokens, sessions), and the logs of all projects, also of deleted ones. Needs `read:audit_log` and `update:member`.
 *
 * It is `GET /v1/audit_log`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listInstallationAuditEntries']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const auditEntry of listInstallationAuditEntries(client)) console.log(auditEntry.id);
 * ```
 */
export function listInstallationAuditEntries(client: Client, input: ListInstallationAuditEntriesInput = {}, options?: CallOptions): PagedList<AuditEntry> {
  return list(client, { id: 'listInstallationAuditEntries', method: 'GET', path: '/v1/audit_log', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What listAuditChains takes.
 *
 * @example
 * ```ts
 * const input: ListAuditChainsInput = {};
 * for await (const auditChain of listAuditChains(client, input)) console.log(auditChain.format);
 * ```
 */
export interface ListAuditChainsInput {
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
}

/**
 * List the ends of all audit logs.
 *
 * Of each project that has entries, also of deleted ones, and of what belongs to no project. Newest project first. Needs `read:audit_log` and `update:member`.
 *
 * It is `GET /v1/audit_log/chains`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listAuditChains']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const auditChain of listAuditChains(client)) console.log(auditChain.format);
 * ```
 */
export function listAuditChains(client: Client, input: ListAuditChainsInput = {}, options?: CallOptions): PagedList<AuditChain> {
  return list(client, { id: 'listAuditChains', method: 'GET', path: '/v1/audit_log/chains', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What exportInstallationAuditLog takes.
 *
 * @example
 * ```ts
 * const input: ExportInstallationAuditLogInput = {};
 * const text = await exportInstallationAuditLog(client, input);
 * console.log(text);
 * ```
 */
export interface ExportInstallationAuditLogInput {
  /** Only the log of this project, which may have been deleted; only zeros: what belongs to no project. `after` and `limit` need it. */
  readonly project_id?: string | undefined;
  /** Only entries with a higher sequence number, to continue an earlier export. Absent: all. */
  readonly after?: number | undefined;
  /** At most so many entries. Continue with `after`. Absent: all. */
  readonly limit?: number | undefined;
}

/**
 * Export the audit log of the installation.
 *
 * As the export of a project: one log after the other, each with its AuditChain before it. With `project_id`, one log. Needs `read:audit_log` and `update:member`.
 *
 * It is `GET /v1/audit_log/export`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['exportInstallationAuditLog']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const text = await exportInstallationAuditLog(client);
 * console.log(text);
 * ```
 */
export function exportInstallationAuditLog(client: Client, input: ExportInstallationAuditLogInput = {}, options?: CallOptions): Promise<string> {
  return call(client, { id: 'exportInstallationAuditLog', method: 'GET', path: '/v1/audit_log/export', status: 200, answers: 'text', repeatable: true }, input, options);
}

/**
 * What listProjects takes.
 *
 * @example
 * ```ts
 * const input: ListProjectsInput = {};
 * for await (const project of listProjects(client, input)) console.log(project.id);
 * ```
 */
export interface ListProjectsInput {
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
  /** Only projects with exactly this name; `*` matches any run of characters (`ci-*`). */
  readonly name?: string | undefined;
}

/**
 * List projects.
 *
 * Newest first. Users see the projects in which they have the permission, administrators of the installation all. A project token sees only its own project. Needs `read:project`.
 *
 * It is `GET /v1/projects`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listProjects']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const project of listProjects(client)) console.log(project.id);
 * ```
 */
export function listProjects(client: Client, input: ListProjectsInput = {}, options?: CallOptions): PagedList<Project> {
  return list(client, { id: 'listProjects', method: 'GET', path: '/v1/projects', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What createProject takes.
 *
 * @example
 * ```ts
 * const input: CreateProjectInput = { body: { name: 'Edge' } };
 * const createdProject = await createProject(client, input);
 * console.log(createdProject.id);
 * ```
 */
export interface CreateProjectInput {
  readonly body: CreateProject;
}

/**
 * Create a project.
 *
 * The project gets a first token named `default` with the permissions that an agent needs. For administrators of the installation. Needs `create:project`.
 *
 * It is `POST /v1/projects`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['createProject']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const createdProject = await createProject(client, { body: { name: 'Edge' } });
 * console.log(createdProject.id);
 * ```
 */
export function createProject(client: Client, input: CreateProjectInput, options?: CallOptions): Promise<CreatedProject> {
  return call(client, { id: 'createProject', method: 'POST', path: '/v1/projects', status: 201, answers: 'json', repeatable: false }, input, options);
}

/**
 * What getProject takes.
 *
 * @example
 * ```ts
 * const input: GetProjectInput = { projectID };
 * const projectWithUsage = await getProject(client, input);
 * console.log(projectWithUsage.id);
 * ```
 */
export interface GetProjectInput {
  /** The project. */
  readonly projectID: string;
}

/**
 * Get a project.
 *
 * Includes what the project has stored and the limits of the installation. Needs `read:project`.
 *
 * It is `GET /v1/projects/{projectID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getProject']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const projectWithUsage = await getProject(client, { projectID });
 * console.log(projectWithUsage.id);
 * ```
 */
export function getProject(client: Client, input: GetProjectInput, options?: CallOptions): Promise<ProjectWithUsage> {
  return call(client, { id: 'getProject', method: 'GET', path: '/v1/projects/{projectID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What updateProject takes.
 *
 * @example
 * ```ts
 * const input: UpdateProjectInput = { projectID, body: { name: 'Edge' } };
 * const project = await updateProject(client, input);
 * console.log(project.id);
 * ```
 */
export interface UpdateProjectInput {
  /** The project. */
  readonly projectID: string;
  readonly body: UpdateProject;
}

/**
 * Rename a project. Needs `update:project`.
 *
 * It is `PATCH /v1/projects/{projectID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['updateProject']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const project = await updateProject(client, { projectID, body: { name: 'Edge' } });
 * console.log(project.id);
 * ```
 */
export function updateProject(client: Client, input: UpdateProjectInput, options?: CallOptions): Promise<Project> {
  return call(client, { id: 'updateProject', method: 'PATCH', path: '/v1/projects/{projectID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What deleteProject takes.
 *
 * @example
 * ```ts
 * const input: DeleteProjectInput = { projectID };
 * await deleteProject(client, input);
 * ```
 */
export interface DeleteProjectInput {
  /** The project. */
  readonly projectID: string;
}

/**
 * Delete a project.
 *
 * Also deletes its tokens, agents and errors. This cannot be undone. Needs `delete:project`.
 *
 * It is `DELETE /v1/projects/{projectID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['deleteProject']`; MusterConnectionError
 *
 * @example
 * ```ts
 * await deleteProject(client, { projectID });
 * ```
 */
export function deleteProject(client: Client, input: DeleteProjectInput, options?: CallOptions): Promise<void> {
  return call(client, { id: 'deleteProject', method: 'DELETE', path: '/v1/projects/{projectID}', status: 204, answers: 'nothing', repeatable: true }, input, options);
}

/**
 * What getProjectSummary takes.
 *
 * @example
 * ```ts
 * const input: GetProjectSummaryInput = { projectID };
 * const projectSummary = await getProjectSummary(client, input);
 * console.log(projectSummary.countedAt);
 * ```
 */
export interface GetProjectSummaryInput {
  /** The project. */
  readonly projectID: string;
}

/**
 * Get the counts of a project.
 *
 * Exact counts of agents, open errors and groups at `countedAt`, for a dashboard that asks every second. In a storm of changes, `countedAt` may lie a few seconds back. Needs `read:project`.
 *
 * It is `GET /v1/projects/{projectID}/summary`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getProjectSummary']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const projectSummary = await getProjectSummary(client, { projectID });
 * console.log(projectSummary.countedAt);
 * ```
 */
export function getProjectSummary(client: Client, input: GetProjectSummaryInput, options?: CallOptions): Promise<ProjectSummary> {
  return call(client, { id: 'getProjectSummary', method: 'GET', path: '/v1/projects/{projectID}/summary', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What getProjectHistory takes.
 *
 * @example
 * ```ts
 * const input: GetProjectHistoryInput = { projectID };
 * const projectHistory = await getProjectHistory(client, input);
 * console.log(projectHistory.bucket);
 * ```
 */
export interface GetProjectHistoryInput {
  /** The project. */
  readonly projectID: string;
  /** The length of time that is counted together. Absent: hour. */
  readonly bucket?: 'minute' | 'hour' | 'day' | undefined;
  /** The first bucket contains this time. Absent: an hour before `until` by minute, a day by hour, 30 days by day. */
  readonly since?: string | undefined;
  /** The last bucket starts before this time. Absent: now. */
  readonly until?: string | undefined;
}

/**
 * Get the history of a project.
 *
 * New errors, new groups and changed configurations in each minute, hour or day, for a chart. At most 1000 buckets. Needs `read:project`.
 *
 * It is `GET /v1/projects/{projectID}/history`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getProjectHistory']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const projectHistory = await getProjectHistory(client, { projectID });
 * console.log(projectHistory.bucket);
 * ```
 */
export function getProjectHistory(client: Client, input: GetProjectHistoryInput, options?: CallOptions): Promise<ProjectHistory> {
  return call(client, { id: 'getProjectHistory', method: 'GET', path: '/v1/projects/{projectID}/history', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What departProject takes.
 *
 * @example
 * ```ts
 * const input: DepartProjectInput = { projectID, body: { step: 'begin', runID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', targetURL: 'https://muster.example.com', insteadOf: 'https://muster.example.com' } };
 * const departure = await departProject(client, input);
 * console.log(departure.projectID);
 * ```
 */
export interface DepartProjectInput {
  /** The project. */
  readonly projectID: string;
  readonly body: DepartProject;
}

/**
 * Let a project leave for another installation.
 *
 * A step of `muster copy --project`, which speaks to both installations. For administrators of the installation, with a credential that is not narrowed. Needs `*:*`.
 *
 * It is `POST /v1/projects/{projectID}/departure`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['departProject']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const departure = await departProject(client, { projectID, body: { step: 'begin', runID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', targetURL: 'https://muster.example.com', insteadOf: 'https://muster.example.com' } });
 * console.log(departure.projectID);
 * ```
 */
export function departProject(client: Client, input: DepartProjectInput, options?: CallOptions): Promise<Departure> {
  return call(client, { id: 'departProject', method: 'POST', path: '/v1/projects/{projectID}/departure', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What readDepartingRows takes.
 *
 * @example
 * ```ts
 * const input: ReadDepartingRowsInput = { projectID, body: { table: 'agents' } };
 * const departingRows = await readDepartingRows(client, input);
 * console.log(departingRows.columns);
 * ```
 */
export interface ReadDepartingRowsInput {
  /** The project. */
  readonly projectID: string;
  readonly body: ReadDepartingRows;
}

/**
 * Read rows of a project that leaves.
 *
 * Secrets are encrypted with the public key of the installation where the project arrives, which the run in charge has named in its step `copy`. For administrators of the installation, with a credential that is not narrowed. Needs `*:*`.
 *
 * It is `POST /v1/projects/{projectID}/departure/rows`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['readDepartingRows']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const departingRows = await readDepartingRows(client, { projectID, body: { table: 'agents' } });
 * console.log(departingRows.columns);
 * ```
 */
export function readDepartingRows(client: Client, input: ReadDepartingRowsInput, options?: CallOptions): Promise<DepartingRows> {
  return call(client, { id: 'readDepartingRows', method: 'POST', path: '/v1/projects/{projectID}/departure/rows', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What beginArrival takes.
 *
 * @example
 * ```ts
 * const input: BeginArrivalInput = { body: { projectID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', name: 'Edge', runID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', sourceURL: 'https://muster.example.com', version: '0.1.0', migrations: ['0001-initial'] } };
 * const arrival = await beginArrival(client, input);
 * console.log(arrival.projectID);
 * ```
 */
export interface BeginArrivalInput {
  readonly body: BeginArrival;
}

/**
 * Let a project arrive from another installation.
 *
 * Until its arrival is finished, nothing shows the project, and none of its credentials is accepted. The newest run of the command is in charge. For administrators of the installation, with a credential that is not narrowed. Needs `*:*`.
 *
 * It is `POST /v1/project_arrivals`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['beginArrival']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const arrival = await beginArrival(client, { body: { projectID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', name: 'Edge', runID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', sourceURL: 'https://muster.example.com', version: '0.1.0', migrations: ['0001-initial'] } });
 * console.log(arrival.projectID);
 * ```
 */
export function beginArrival(client: Client, input: BeginArrivalInput, options?: CallOptions): Promise<Arrival> {
  return call(client, { id: 'beginArrival', method: 'POST', path: '/v1/project_arrivals', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What writeArrivingRows takes.
 *
 * @example
 * ```ts
 * const input: WriteArrivingRowsInput = { projectID, body: { runID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', table: 'agents' } };
 * const arrivingRows = await writeArrivingRows(client, input);
 * console.log(arrivingRows.rowsCount);
 * ```
 */
export interface WriteArrivingRowsInput {
  /** The project. */
  readonly projectID: string;
  readonly body: WriteArrivingRows;
}

/**
 * Write rows of a project that arrives.
 *
 * The rows of the range become those that are sent, or none of them. Without `rows`, nothing is written. For administrators of the installation, with a credential that is not narrowed. Needs `*:*`.
 *
 * It is `POST /v1/project_arrivals/{projectID}/rows`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['writeArrivingRows']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const arrivingRows = await writeArrivingRows(client, { projectID, body: { runID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', table: 'agents' } });
 * console.log(arrivingRows.rowsCount);
 * ```
 */
export function writeArrivingRows(client: Client, input: WriteArrivingRowsInput, options?: CallOptions): Promise<ArrivingRows> {
  return call(client, { id: 'writeArrivingRows', method: 'POST', path: '/v1/project_arrivals/{projectID}/rows', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What finishArrival takes.
 *
 * @example
 * ```ts
 * const input: FinishArrivalInput = { projectID, body: { runID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d' } };
 * const arrival = await finishArrival(client, input);
 * console.log(arrival.projectID);
 * ```
 */
export interface FinishArrivalInput {
  /** The project. */
  readonly projectID: string;
  readonly body: FinishArrival;
}

/**
 * Finish the arrival of a project.
 *
 * From now on the project is here, and the caller is an owner of it. Call it after the source has left it, and never before. For administrators of the installation, with a credential that is not narrowed. Needs `*:*`.
 *
 * It is `POST /v1/project_arrivals/{projectID}/finish`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['finishArrival']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const arrival = await finishArrival(client, { projectID, body: { runID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d' } });
 * console.log(arrival.projectID);
 * ```
 */
export function finishArrival(client: Client, input: FinishArrivalInput, options?: CallOptions): Promise<Arrival> {
  return call(client, { id: 'finishArrival', method: 'POST', path: '/v1/project_arrivals/{projectID}/finish', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What applyProvisioning takes.
 *
 * @example
 * ```ts
 * const input: ApplyProvisioningInput = { body: { projects: [{ name: 'edge' }] } };
 * const appliedProvisioning = await applyProvisioning(client, input);
 * console.log(appliedProvisioning.dryRun);
 * ```
 */
export interface ApplyProvisioningInput {
  readonly body: ApplyProvisioning;
}

/**
 * Make projects, members, tokens and fleets as a file says.
 *
 * All or nothing. What the request does not name stays as it is, and repeating it changes nothing. Needs `create:project` on the installation to create a project, and for each other change the permission of the route for it, and to read members, tokens and fleets that exist already. Nobody gives more than they have. What a person has removed or revoked since is not brought back: it is answered as `skip`. Another configuration of a fleet becomes a version, which agents get by a rollout, or at once with `allAtOnce`.
 *
 * It is `POST /v1/provisioning`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['applyProvisioning']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const appliedProvisioning = await applyProvisioning(client, { body: { projects: [{ name: 'edge' }] } });
 * console.log(appliedProvisioning.dryRun);
 * ```
 */
export function applyProvisioning(client: Client, input: ApplyProvisioningInput, options?: CallOptions): Promise<AppliedProvisioning> {
  return call(client, { id: 'applyProvisioning', method: 'POST', path: '/v1/provisioning', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What listMembers takes.
 *
 * @example
 * ```ts
 * const input: ListMembersInput = { projectID };
 * for await (const member of listMembers(client, input)) console.log(member.userID);
 * ```
 */
export interface ListMembersInput {
  /** The project. */
  readonly projectID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
}

/**
 * List members of a project.
 *
 * Newest first. Administrators of the installation and users who have a role by MUSTER_OIDC_ROLES are not members. Needs `read:member`.
 *
 * It is `GET /v1/projects/{projectID}/members`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listMembers']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const member of listMembers(client, { projectID })) console.log(member.userID);
 * ```
 */
export function listMembers(client: Client, input: ListMembersInput, options?: CallOptions): PagedList<Member> {
  return list(client, { id: 'listMembers', method: 'GET', path: '/v1/projects/{projectID}/members', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What addMember takes.
 *
 * @example
 * ```ts
 * const input: AddMemberInput = { projectID, body: { userID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', role: 'operator' } };
 * const member = await addMember(client, input);
 * console.log(member.userID);
 * ```
 */
export interface AddMemberInput {
  /** The project. */
  readonly projectID: string;
  readonly body: AddMember;
}

/**
 * Add a user to a project.
 *
 * For a user who has signed in before. Send everybody else an invitation. Needs `create:member`.
 *
 * It is `POST /v1/projects/{projectID}/members`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['addMember']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const member = await addMember(client, { projectID, body: { userID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', role: 'operator' } });
 * console.log(member.userID);
 * ```
 */
export function addMember(client: Client, input: AddMemberInput, options?: CallOptions): Promise<Member> {
  return call(client, { id: 'addMember', method: 'POST', path: '/v1/projects/{projectID}/members', status: 201, answers: 'json', repeatable: false }, input, options);
}

/**
 * What updateMember takes.
 *
 * @example
 * ```ts
 * const input: UpdateMemberInput = { projectID, userID, body: { role: 'operator' } };
 * const member = await updateMember(client, input);
 * console.log(member.userID);
 * ```
 */
export interface UpdateMemberInput {
  /** The project. */
  readonly projectID: string;
  /** The user. */
  readonly userID: string;
  readonly body: UpdateMember;
}

/**
 * Change the role of a member.
 *
 * Applies to every request that starts after the answer, with any credential of the user. Nobody changes a member who may do more than they themselves. Invitations of the member that are not accepted yet end. Project tokens that the member has created do not change. Needs `update:member`.
 *
 * It is `PATCH /v1/projects/{projectID}/members/{userID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['updateMember']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const member = await updateMember(client, { projectID, userID, body: { role: 'operator' } });
 * console.log(member.userID);
 * ```
 */
export function updateMember(client: Client, input: UpdateMemberInput, options?: CallOptions): Promise<Member> {
  return call(client, { id: 'updateMember', method: 'PATCH', path: '/v1/projects/{projectID}/members/{userID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What removeMember takes.
 *
 * @example
 * ```ts
 * const input: RemoveMemberInput = { projectID, userID };
 * const removedMember = await removeMember(client, input);
 * console.log(removedMember.keptTokensCount);
 * ```
 */
export interface RemoveMemberInput {
  /** The project. */
  readonly projectID: string;
  /** The user. */
  readonly userID: string;
  /** true: also revoke the project tokens that the member has created or rotated. Agents that report with them stop working. */
  readonly revoke_tokens?: boolean | undefined;
}

/**
 * Remove a member from a project.
 *
 * Applies to every request that starts after the answer, with any credential of the user. Invitations of the member that are not accepted yet end. Project tokens that the member has created or rotated go on working, because agents depend on them, unless `revoke_tokens=true` is given. The answer counts them. Nobody removes a member who may do more than they themselves. Only an administrator of the installation removes the last owner. Needs `delete:member`.
 *
 * It is `DELETE /v1/projects/{projectID}/members/{userID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['removeMember']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const removedMember = await removeMember(client, { projectID, userID });
 * console.log(removedMember.keptTokensCount);
 * ```
 */
export function removeMember(client: Client, input: RemoveMemberInput, options?: CallOptions): Promise<RemovedMember> {
  return call(client, { id: 'removeMember', method: 'DELETE', path: '/v1/projects/{projectID}/members/{userID}', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What listInvitations takes.
 *
 * @example
 * ```ts
 * const input: ListInvitationsInput = { projectID };
 * for await (const invitation of listInvitations(client, input)) console.log(invitation.id);
 * ```
 */
export interface ListInvitationsInput {
  /** The project. */
  readonly projectID: string;
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
}

/**
 * List invitations to a project.
 *
 * Newest first. Only those that can still be accepted. The codes are not stored. Needs `read:member`.
 *
 * It is `GET /v1/projects/{projectID}/invitations`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listInvitations']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const invitation of listInvitations(client, { projectID })) console.log(invitation.id);
 * ```
 */
export function listInvitations(client: Client, input: ListInvitationsInput, options?: CallOptions): PagedList<Invitation> {
  return list(client, { id: 'listInvitations', method: 'GET', path: '/v1/projects/{projectID}/invitations', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What createInvitation takes.
 *
 * @example
 * ```ts
 * const input: CreateInvitationInput = { projectID, body: { role: 'operator', email: 'ada@example.com' } };
 * const createdInvitation = await createInvitation(client, input);
 * console.log(createdInvitation.id);
 * ```
 */
export interface CreateInvitationInput {
  /** The project. */
  readonly projectID: string;
  readonly body: CreateInvitation;
}

/**
 * Invite somebody to a project.
 *
 * The code works once, within 7 days, and only while you may give the role yourself. A project has at most 200 open invitations. Needs `create:member`.
 *
 * It is `POST /v1/projects/{projectID}/invitations`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['createInvitation']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const createdInvitation = await createInvitation(client, { projectID, body: { role: 'operator', email: 'ada@example.com' } });
 * console.log(createdInvitation.id);
 * ```
 */
export function createInvitation(client: Client, input: CreateInvitationInput, options?: CallOptions): Promise<CreatedInvitation> {
  return call(client, { id: 'createInvitation', method: 'POST', path: '/v1/projects/{projectID}/invitations', status: 201, answers: 'json', repeatable: false }, input, options);
}

/**
 * What revokeInvitation takes.
 *
 * @example
 * ```ts
 * const input: RevokeInvitationInput = { invitationID };
 * await revokeInvitation(client, input);
 * ```
 */
export interface RevokeInvitationInput {
  /** The invitation. */
  readonly invitationID: string;
}

/**
 * Revoke an invitation.
 *
 * An invitation that was revoked before stays as it is. An accepted one cannot be revoked: remove the member instead. Needs `delete:member`.
 *
 * It is `DELETE /v1/invitations/{invitationID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['revokeInvitation']`; MusterConnectionError
 *
 * @example
 * ```ts
 * await revokeInvitation(client, { invitationID });
 * ```
 */
export function revokeInvitation(client: Client, input: RevokeInvitationInput, options?: CallOptions): Promise<void> {
  return call(client, { id: 'revokeInvitation', method: 'DELETE', path: '/v1/invitations/{invitationID}', status: 204, answers: 'nothing', repeatable: true }, input, options);
}

/**
 * What acceptInvitation takes.
 *
 * @example
 * ```ts
 * const input: AcceptInvitationInput = { body: { code: 'mst_i_…' } };
 * const acceptedInvitation = await acceptInvitation(client, input);
 * console.log(acceptedInvitation.projectID);
 * ```
 */
export interface AcceptInvitationInput {
  readonly body: AcceptInvitation;
}

/**
 * Accept an invitation.
 *
 * The user of the access token becomes a member of the project. A narrowed access token accepts no invitation.
 *
 * It is `POST /v1/invitations/accept`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['acceptInvitation']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const acceptedInvitation = await acceptInvitation(client, { body: { code: 'mst_i_…' } });
 * console.log(acceptedInvitation.projectID);
 * ```
 */
export function acceptInvitation(client: Client, input: AcceptInvitationInput, options?: CallOptions): Promise<AcceptedInvitation> {
  return call(client, { id: 'acceptInvitation', method: 'POST', path: '/v1/invitations/accept', status: 200, answers: 'json', repeatable: false }, input, options);
}

/**
 * What signUp takes.
 *
 * @example
 * ```ts
 * const input: SignUpInput = { body: { code: 'mst_i_…', name: 'Ada Lovelace' } };
 * const signedUp = await signUp(client, input);
 * console.log(signedUp.projectID);
 * ```
 */
export interface SignUpInput {
  readonly body: SignUp;
}

/**
 * Accept an invitation as a new user.
 *
 * Needs no credential: creates a user of this installation with an access token. Not available where people sign in through an identity provider (MUSTER_OIDC_ISSUER).
 *
 * It is `POST /v1/invitations/sign_up`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['signUp']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const signedUp = await signUp(client, { body: { code: 'mst_i_…', name: 'Ada Lovelace' } });
 * console.log(signedUp.projectID);
 * ```
 */
export function signUp(client: Client, input: SignUpInput, options?: CallOptions): Promise<SignedUp> {
  return call(client, { id: 'signUp', method: 'POST', path: '/v1/invitations/sign_up', status: 201, answers: 'json', repeatable: false }, input, options);
}

/**
 * What listUsers takes.
 *
 * @example
 * ```ts
 * const input: ListUsersInput = {};
 * for await (const user of listUsers(client, input)) console.log(user.id);
 * ```
 */
export interface ListUsersInput {
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
}

/**
 * List users of the installation.
 *
 * Newest first. For administrators of the installation. Shows who has no access yet. Needs `read:member`.
 *
 * It is `GET /v1/users`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listUsers']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const user of listUsers(client)) console.log(user.id);
 * ```
 */
export function listUsers(client: Client, input: ListUsersInput = {}, options?: CallOptions): PagedList<User> {
  return list(client, { id: 'listUsers', method: 'GET', path: '/v1/users', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What getMe takes.
 *
 * @example
 * ```ts
 * const input: GetMeInput = {};
 * const me = await getMe(client, input);
 * console.log(me.kind);
 * ```
 */
export type GetMeInput = Readonly<Record<string, never>>;

/**
 * Get the caller.
 *
 * It is `GET /v1/me`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getMe']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const me = await getMe(client);
 * console.log(me.kind);
 * ```
 */
export function getMe(client: Client, input: GetMeInput = {}, options?: CallOptions): Promise<Me> {
  return call(client, { id: 'getMe', method: 'GET', path: '/v1/me', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What listAccessTokens takes.
 *
 * @example
 * ```ts
 * const input: ListAccessTokensInput = {};
 * for await (const accessToken of listAccessTokens(client, input)) console.log(accessToken.id);
 * ```
 */
export interface ListAccessTokensInput {
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
}

/**
 * List your access tokens.
 *
 * Newest first. A narrowed access token sees itself and those that were created with it.
 *
 * It is `GET /v1/access_tokens`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listAccessTokens']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const accessToken of listAccessTokens(client)) console.log(accessToken.id);
 * ```
 */
export function listAccessTokens(client: Client, input: ListAccessTokensInput = {}, options?: CallOptions): PagedList<AccessToken> {
  return list(client, { id: 'listAccessTokens', method: 'GET', path: '/v1/access_tokens', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What createAccessToken takes.
 *
 * @example
 * ```ts
 * const input: CreateAccessTokenInput = { body: { name: 'laptop', permissions: ['read:*'] } };
 * const accessToken = await createAccessToken(client, input);
 * console.log(accessToken.id);
 * ```
 */
export interface CreateAccessTokenInput {
  readonly body: CreateAccessToken;
}

/**
 * Create an access token for yourself.
 *
 * It can be narrowed to permissions and projects. It can do no more than the access token that creates it, expires no later, and is revoked with it. Created with a token of the identity provider, it lasts for as many hours as `MUSTER_OIDC_ACCESS_TOKEN_HOURS` says at most. A user has at most 1000 valid ones.
 *
 * It is `POST /v1/access_tokens`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['createAccessToken']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const accessToken = await createAccessToken(client, { body: { name: 'laptop', permissions: ['read:*'] } });
 * console.log(accessToken.id);
 * ```
 */
export function createAccessToken(client: Client, input: CreateAccessTokenInput, options?: CallOptions): Promise<AccessToken> {
  return call(client, { id: 'createAccessToken', method: 'POST', path: '/v1/access_tokens', status: 201, answers: 'json', repeatable: false }, input, options);
}

/**
 * What getOwnAccessToken takes.
 *
 * @example
 * ```ts
 * const input: GetOwnAccessTokenInput = {};
 * const accessToken = await getOwnAccessToken(client, input);
 * console.log(accessToken.id);
 * ```
 */
export type GetOwnAccessTokenInput = Readonly<Record<string, never>>;

/**
 * Get the access token of the request.
 *
 * It is `GET /v1/access_tokens/self`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getOwnAccessToken']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const accessToken = await getOwnAccessToken(client);
 * console.log(accessToken.id);
 * ```
 */
export function getOwnAccessToken(client: Client, input: GetOwnAccessTokenInput = {}, options?: CallOptions): Promise<AccessToken> {
  return call(client, { id: 'getOwnAccessToken', method: 'GET', path: '/v1/access_tokens/self', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What rotateAccessToken takes.
 *
 * @example
 * ```ts
 * const input: RotateAccessTokenInput = { accessTokenID, body: { graceSeconds: 86400 } };
 * const accessToken = await rotateAccessToken(client, input);
 * console.log(accessToken.id);
 * ```
 */
export interface RotateAccessTokenInput {
  /** The access token. */
  readonly accessTokenID: string;
  readonly body: RotateToken;
}

/**
 * Rotate one of your access tokens.
 *
 * As for project tokens. An access token rotates itself and those that it created; a token of the identity provider rotates all that do not outlast what it may create. For the token of the request, `retireOnUse` is true if neither field is given, so that a lost answer locks nobody out. The token that the installation defines (`MUSTER_ADMIN_TOKEN`) cannot be rotated here.
 *
 * It is `POST /v1/access_tokens/{accessTokenID}/rotate`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['rotateAccessToken']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const accessToken = await rotateAccessToken(client, { accessTokenID, body: { graceSeconds: 86400 } });
 * console.log(accessToken.id);
 * ```
 */
export function rotateAccessToken(client: Client, input: RotateAccessTokenInput, options?: CallOptions): Promise<AccessToken> {
  return call(client, { id: 'rotateAccessToken', method: 'POST', path: '/v1/access_tokens/{accessTokenID}/rotate', status: 200, answers: 'json', repeatable: true, takesIdempotencyKey: true }, input, options);
}

/**
 * What revokeAccessToken takes.
 *
 * @example
 * ```ts
 * const input: RevokeAccessTokenInput = { accessTokenID };
 * await revokeAccessToken(client, input);
 * ```
 */
export interface RevokeAccessTokenInput {
  /** The access token. */
  readonly accessTokenID: string;
}

/**
 * Revoke one of your access tokens.
 *
 * Applies to every request that starts after the answer, and to every access token that was created with it. A narrowed access token revokes only itself and those.
 *
 * It is `DELETE /v1/access_tokens/{accessTokenID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['revokeAccessToken']`; MusterConnectionError
 *
 * @example
 * ```ts
 * await revokeAccessToken(client, { accessTokenID });
 * ```
 */
export function revokeAccessToken(client: Client, input: RevokeAccessTokenInput, options?: CallOptions): Promise<void> {
  return call(client, { id: 'revokeAccessToken', method: 'DELETE', path: '/v1/access_tokens/{accessTokenID}', status: 204, answers: 'nothing', repeatable: true }, input, options);
}

/**
 * What createSignInLink takes.
 *
 * @example
 * ```ts
 * const input: CreateSignInLinkInput = {};
 * const signInLink = await createSignInLink(client, input);
 * console.log(signInLink.url);
 * ```
 */
export type CreateSignInLinkInput = Readonly<Record<string, never>>;

/**
 * Create a link that signs a browser in.
 *
 * The link works once, within 10 minutes. The session does no more than the access token of the request, and ends with it. A session and a token of the identity provider cannot create one.
 *
 * It is `POST /v1/sign_in_links`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['createSignInLink']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const signInLink = await createSignInLink(client);
 * console.log(signInLink.url);
 * ```
 */
export function createSignInLink(client: Client, input: CreateSignInLinkInput = {}, options?: CallOptions): Promise<SignInLink> {
  return call(client, { id: 'createSignInLink', method: 'POST', path: '/v1/sign_in_links', status: 201, answers: 'json', repeatable: false }, input, options);
}

/**
 * What listSessions takes.
 *
 * @example
 * ```ts
 * const input: ListSessionsInput = {};
 * for await (const session of listSessions(client, input)) console.log(session.id);
 * ```
 */
export interface ListSessionsInput {
  /** Page size. Absent or 0 means 100. */
  readonly last?: number | undefined;
  /** Opaque cursor from the Link header of the previous page: returns the items after that page. */
  readonly before?: string | undefined;
  /** Sessions of this user instead of your own, for administrators of the installation. */
  readonly user_id?: string | undefined;
}

/**
 * List the browsers in which you are signed in.
 *
 * Newest first, without those that have ended. A narrowed access token sees the sessions that were created with it. Administrators of the installation can list the sessions of any user.
 *
 * It is `GET /v1/sessions`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['listSessions']`; MusterConnectionError
 *
 * @example
 * ```ts
 * for await (const session of listSessions(client)) console.log(session.id);
 * ```
 */
export function listSessions(client: Client, input: ListSessionsInput = {}, options?: CallOptions): PagedList<Session> {
  return list(client, { id: 'listSessions', method: 'GET', path: '/v1/sessions', status: 200, answers: 'page', repeatable: true }, input, options);
}

/**
 * What revokeSession takes.
 *
 * @example
 * ```ts
 * const input: RevokeSessionInput = { sessionID };
 * await revokeSession(client, input);
 * ```
 */
export interface RevokeSessionInput {
  /** The session. */
  readonly sessionID: string;
}

/**
 * Revoke a session.
 *
 * Applies to every request that starts after the answer. Administrators of the installation can revoke the sessions of any user.
 *
 * It is `DELETE /v1/sessions/{sessionID}`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['revokeSession']`; MusterConnectionError
 *
 * @example
 * ```ts
 * await revokeSession(client, { sessionID });
 * ```
 */
export function revokeSession(client: Client, input: RevokeSessionInput, options?: CallOptions): Promise<void> {
  return call(client, { id: 'revokeSession', method: 'DELETE', path: '/v1/sessions/{sessionID}', status: 204, answers: 'nothing', repeatable: true }, input, options);
}

/**
 * What signOut takes.
 *
 * @example
 * ```ts
 * const input: SignOutInput = {};
 * await signOut(client, input);
 * ```
 */
export type SignOutInput = Readonly<Record<string, never>>;

/**
 * Sign out.
 *
 * Revokes the session of the request and removes its cookie. Does nothing for an access token, which is not a session.
 *
 * It is `DELETE /v1/sessions/self`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['signOut']`; MusterConnectionError
 *
 * @example
 * ```ts
 * await signOut(client);
 * ```
 */
export function signOut(client: Client, input: SignOutInput = {}, options?: CallOptions): Promise<void> {
  return call(client, { id: 'signOut', method: 'DELETE', path: '/v1/sessions/self', status: 204, answers: 'nothing', repeatable: true }, input, options);
}

/**
 * What getLiveness takes.
 *
 * @example
 * ```ts
 * const input: GetLivenessInput = {};
 * const liveness = await getLiveness(client, input);
 * console.log(liveness.status);
 * ```
 */
export type GetLivenessInput = Readonly<Record<string, never>>;

/**
 * Check that the process is alive.
 *
 * It is `GET /healthz`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getLiveness']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const liveness = await getLiveness(client);
 * console.log(liveness.status);
 * ```
 */
export function getLiveness(client: Client, input: GetLivenessInput = {}, options?: CallOptions): Promise<Liveness> {
  return call(client, { id: 'getLiveness', method: 'GET', path: '/healthz', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What getReadiness takes.
 *
 * @example
 * ```ts
 * const input: GetReadinessInput = {};
 * const readiness = await getReadiness(client, input);
 * console.log(readiness.status);
 * ```
 */
export type GetReadinessInput = Readonly<Record<string, never>>;

/**
 * Check that the service answers requests.
 *
 * It is `GET /readyz`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getReadiness']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const readiness = await getReadiness(client);
 * console.log(readiness.status);
 * ```
 */
export function getReadiness(client: Client, input: GetReadinessInput = {}, options?: CallOptions): Promise<Readiness> {
  return call(client, { id: 'getReadiness', method: 'GET', path: '/readyz', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What getMetrics takes.
 *
 * @example
 * ```ts
 * const input: GetMetricsInput = {};
 * const text = await getMetrics(client, input);
 * console.log(text);
 * ```
 */
export type GetMetricsInput = Readonly<Record<string, never>>;

/**
 * Get metrics of the service for Prometheus.
 *
 * Needs no credential unless the service has the setting MUSTER_METRICS_TOKEN. Then it needs this token as `Authorization: Bearer …`, and the metrics of agents and errors are divided by project.
 *
 * It is `GET /metrics`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getMetrics']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const text = await getMetrics(client);
 * console.log(text);
 * ```
 */
export function getMetrics(client: Client, input: GetMetricsInput = {}, options?: CallOptions): Promise<string> {
  return call(client, { id: 'getMetrics', method: 'GET', path: '/metrics', status: 200, answers: 'text', repeatable: true }, input, options);
}

/**
 * What getOpenApi takes.
 *
 * @example
 * ```ts
 * const input: GetOpenApiInput = {};
 * const object = await getOpenApi(client, input);
 * console.log(object);
 * ```
 */
export type GetOpenApiInput = Readonly<Record<string, never>>;

/**
 * This document.
 *
 * It is `GET /openapi.json`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getOpenApi']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const object = await getOpenApi(client);
 * console.log(object);
 * ```
 */
export function getOpenApi(client: Client, input: GetOpenApiInput = {}, options?: CallOptions): Promise<Record<string, unknown>> {
  return call(client, { id: 'getOpenApi', method: 'GET', path: '/openapi.json', status: 200, answers: 'json', repeatable: true }, input, options);
}

/**
 * What getDocs takes.
 *
 * @example
 * ```ts
 * const input: GetDocsInput = {};
 * const text = await getDocs(client, input);
 * console.log(text);
 * ```
 */
export type GetDocsInput = Readonly<Record<string, never>>;

/**
 * The reference page.
 *
 * It is `GET /docs`.
 *
 * @throws MusterError with one of the codes of `OperationProblems['getDocs']`; MusterConnectionError
 *
 * @example
 * ```ts
 * const text = await getDocs(client);
 * console.log(text);
 * ```
 */
export function getDocs(client: Client, input: GetDocsInput = {}, options?: CallOptions): Promise<string> {
  return call(client, { id: 'getDocs', method: 'GET', path: '/docs', status: 200, answers: 'text', repeatable: true }, input, options);
}
