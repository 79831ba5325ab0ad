import type { SendHeartbeat } from '@muster/client';
import type { Registrar } from './registrar.ts';
import { type ReportService, ServiceFailure } from './report-service.ts';

/** The interval that is promised to the service. */
const heartbeatSeconds = 30;
/** The maximum delay of the exit of `muster report` for the final message, after the agent has ended. */
const maxGoodbyeMilliseconds = 2_000;

/** How an agent ended; empty when this is not known. */
export type Goodbye = Pick<SendHeartbeat, 'exitCode' | 'signal'>;

export interface HeartbeatsOptions {
  readonly service: Pick<ReportService, 'heartbeat'>;
  readonly registrar: Pick<Registrar, 'known' | 'forget'>;
  /** Called when the service does not know the agent: it has to be registered again. */
  readonly onUnknown: () => void;
  /** Calls back after this time, again and again, until the returned function is called. */
  readonly every: (milliseconds: number, work: () => void) => () => void;
}

/**
 * Tells the service that the agent runs, and at its end how it ended. A failed heartbeat is not repeated, because the next
 * one says the same. Failures are not reported, because nothing is lost.
 */
export class Heartbeats {
  readonly #options: HeartbeatsOptions;
  readonly #abort = new AbortController();
  #stopTimer: (() => void) | undefined;
  #hasBeenKnown = false;
  #isEnding = false;
  #underWay: Promise<void> = Promise.resolve();

  constructor(options: HeartbeatsOptions) {
    this.#options = options;
  }

  /** Called whenever the agent is known to be registered; the first time, heartbeats begin. */
  begin(): void {
    if (this.#stopTimer !== undefined || this.#isEnding) return;
    this.#stopTimer = this.#options.every(heartbeatSeconds * 1_000, () => this.#beat());
    this.#beat();
  }

  /** Reports the end of the agent within this time, and at most two seconds. Does not reject. */
  async end(goodbye: Goodbye, milliseconds: number): Promise<void> {
    this.#isEnding = true;
    this.#stopTimer?.();
    const limit = Math.min(milliseconds, maxGoodbyeMilliseconds);
    if (limit <= 0) return;
    const timer = setTimeout(() => this.#abort.abort(), limit);
    // A running heartbeat could arrive after the end and say that the agent runs.
    await this.#underWay;
    await this.#send({ ...goodbye, status: 'stopped' }).catch(() => undefined);
    clearTimeout(timer);
  }

  /** Ends an `end` that is waiting. */
  giveUp(): void {
    this.#abort.abort();
  }

  #beat(): void {
    this.#underWay = this.#underWay
      .then(() => this.#send({ heartbeatSeconds }))
      .catch((error: unknown) => this.#note(error));
  }

  async #send(heartbeat: SendHeartbeat): Promise<void> {
    const { service, registrar } = this.#options;
    const registered = await registrar.known();
    if (registered === undefined || this.#abort.signal.aborted) return;
    await service.heartbeat(registered, heartbeat, this.#abort.signal);
    this.#hasBeenKnown = true;
  }

  async #note(error: unknown): Promise<void> {
    const status = error instanceof ServiceFailure ? error.status : 0;
    // An agent that was deleted while it runs stays deleted until its next start.
    const isUnknown = status === 401 || status === 404 || (status === 410 && !this.#hasBeenKnown);
    if (!isUnknown || this.#isEnding) return;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    await this.#options.registrar.forget();
    this.#options.onUnknown();
  }
}
