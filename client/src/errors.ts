import type { ProblemCode } from './generated/problem-codes.gen.ts';
import type { Problem } from './generated/schemas.gen.ts';

/**
 * The service refused the request: the message says why, and `code` identifies the refusal.
 *
 * @example
 * ```ts
 * try {
 *   await createToken(client, { projectID, body: { name: 'ci-deploy', permissions: ['create:*'] } });
 * } catch (error) {
 *   if (error instanceof MusterError && error.code === 'permission_denied') console.error(error.problem.detail);
 *   else throw error;
 * }
 * ```
 */
export class MusterError extends Error {
  override readonly name = 'MusterError';
  /** HTTP status of the answer. */
  readonly status: number;
  /** Identifies the refusal. A newer service may send codes that are not in this list. */
  readonly code: ProblemCode;
  /** The whole body (RFC 9457): `detail` says what happened, why, and what to do; `fields` names the invalid fields. */
  readonly problem: Problem;
  /** The request's id, which is also in the log of the service. */
  readonly requestID: string;
  /** How long to wait before the next try, if the service says so. */
  readonly retryAfterSeconds: number | undefined;
  /** Number of attempts, including the last one. */
  readonly attempts: number;

  constructor(problem: Problem, { status, retryAfterSeconds, attempts }: RefusalFacts) {
    super(`${problem.detail} (${problem.code}, request ${problem.requestID})`);
    this.status = status;
    this.code = problem.code as ProblemCode; // the contract types it as any text, because newer services have more codes
    this.problem = problem;
    this.requestID = problem.requestID;
    this.retryAfterSeconds = retryAfterSeconds;
    this.attempts = attempts;
  }
}

interface RefusalFacts {
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  readonly attempts: number;
}

/**
 * No answer of the service arrived: it cannot be reached, the connection broke, or something else answered. `cause`
 * is the platform's error.
 *
 * @example
 * ```ts
 * try {
 *   await createProject(client, { body: { name: 'Edge' } });
 * } catch (error) {
 *   if (error instanceof MusterConnectionError && error.mayBeDone) console.error('Look whether it is there.');
 *   throw error;
 * }
 * ```
 */
export class MusterConnectionError extends Error {
  override readonly name: string = 'MusterConnectionError';
  /** False if the request was certainly not carried out. */
  readonly mayBeDone: boolean;
  /** Number of attempts, including the last one. */
  readonly attempts: number;
  /** Why there was no connection, alone: `connect ECONNREFUSED 127.0.0.1:7400`. Undefined if there was one. */
  readonly reason: string | undefined;

  constructor(message: string, { mayBeDone, attempts, reason, cause }: ConnectionFacts) {
    super(message, cause === undefined ? undefined : { cause });
    this.mayBeDone = mayBeDone;
    this.attempts = attempts;
    this.reason = reason;
  }
}

export interface ConnectionFacts {
  readonly mayBeDone: boolean;
  readonly attempts: number;
  readonly reason?: string;
  readonly cause?: unknown;
}

/**
 * No answer came in time. See `timeoutMilliseconds` and `attemptTimeoutMilliseconds` of the client.
 *
 * @example
 * ```ts
 * try {
 *   await getMe(client, {}, { timeoutMilliseconds: 2_000 });
 * } catch (error) {
 *   if (error instanceof MusterTimeoutError) console.error('Muster is slow today.');
 *   else throw error;
 * }
 * ```
 */
export class MusterTimeoutError extends MusterConnectionError {
  override readonly name = 'MusterTimeoutError';
}

/**
 * The answer is not from Muster but from a proxy in between, a redirect, or another service at this address.
 *
 * @example
 * ```ts
 * try {
 *   await getMe(client);
 * } catch (error) {
 *   if (error instanceof MusterAnswerError) console.error('Is the url right?', error.status, error.contentType);
 *   else throw error;
 * }
 * ```
 */
export class MusterAnswerError extends MusterConnectionError {
  override readonly name = 'MusterAnswerError';
  /** HTTP status of the answer; 0 if the browser hides it. */
  readonly status: number;
  readonly contentType: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, facts: ConnectionFacts & AnswerFacts) {
    super(message, facts);
    this.status = facts.status;
    this.contentType = facts.contentType;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

interface AnswerFacts {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}
