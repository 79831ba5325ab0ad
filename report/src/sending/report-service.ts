import type { RegisterAgent, SendHeartbeat } from '@muster/client';

/** How the service knows an agent. */
export interface Registration {
  readonly agentID: string;
  readonly agentToken: string;
}

/** What `muster report` needs of the service. Each rejects with a ServiceFailure. */
export interface ReportService {
  /** @param ownToken the agent's token so far: a service may register a known machine only with it. */
  register(agent: RegisterAgent, signal: AbortSignal, ownToken?: string): Promise<Registration>;
  /** Brings what the service knows of a registered agent up to date, its configuration included. */
  update(registration: Registration, agent: RegisterAgent, signal: AbortSignal): Promise<void>;
  report(registration: Registration, texts: readonly string[], signal: AbortSignal): Promise<void>;
  heartbeat(registration: Registration, heartbeat: SendHeartbeat, signal: AbortSignal): Promise<void>;
}

/**
 * Why the service did not accept a request. `unreachable`: there was no answer, or not one of the service; try again.
 * `busy`: try again later. `refused`: the same request fails until somebody has corrected something.
 */
export class ServiceFailure extends Error {
  readonly kind: 'unreachable' | 'busy' | 'refused';
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: ServiceFailure['kind'], message: string, facts: FailureFacts = {}) {
    super(message, { cause: facts.cause });
    this.kind = kind;
    this.status = facts.status ?? 0;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

interface FailureFacts {
  readonly status?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}
