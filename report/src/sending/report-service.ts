import type { RegisterAgent } from '@muster/client';

/** What an agent is known by at the service. */
export interface Registration {
  readonly agentID: string;
  readonly agentToken: string;
}

/** What `muster report` needs of the service. Each rejects with a ServiceFailure. */
export interface ReportService {
  register(agent: RegisterAgent, signal: AbortSignal): Promise<Registration>;
  /** Brings what the service knows of a registered agent up to date, its configuration included. */
  update(registration: Registration, agent: RegisterAgent, signal: AbortSignal): Promise<void>;
  report(registration: Registration, texts: readonly string[], signal: AbortSignal): Promise<void>;
}

/**
 * Why something was not taken. `unreachable`: no answer, or not the service's; try again. `busy`: try again later.
 * `refused`: sending the same again fails again, until somebody has mended something.
 */
export class ServiceFailure extends Error {
  readonly kind: 'unreachable' | 'busy' | 'refused';
  /** Of the answer; 0 where none came. */
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
