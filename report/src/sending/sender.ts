import type { SpooledError } from '../state/spooled-error.ts';
import type { Outbox } from './outbox.ts';
import { Pauses } from './pause.ts';
import type { Registrar } from './registrar.ts';
import { type Registration, type ReportService, ServiceFailure } from './report-service.ts';
import { takeBatch } from './take-batch.ts';

/** How long an error waits for others, so that one request sends them together. */
const gatherMilliseconds = 200;
const firstRetryMilliseconds = 1_000;
const maxRetryMilliseconds = 60_000;
/** After a refusal, which somebody has to correct. */
const refusedRetryMilliseconds = 300_000;
const maxRetryAfterSeconds = 3_600;
const afterAbortMilliseconds = 200;

export interface SenderOptions {
  readonly outbox: Outbox;
  readonly service: ReportService;
  readonly registrar: Registrar;
  /** Digest of the configuration that the agent runs now. */
  readonly configDigest: () => string;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly onFailure: (failure: ServiceFailure) => void;
  /** Called when the agent is registered as it is now. */
  readonly onRegistered?: () => void;
  /** Called when the service has accepted errors. */
  readonly onSent: () => void;
}

/** Sends the errors in the outbox to the service, one request at a time, and retries until they are accepted. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #pauses = new Pauses();
  readonly #abort = new AbortController();
  #wake: (() => void) | undefined;
  #wantsRegistration = false;
  #isEnding = false;
  #isMuted = false;
  /** The current configuration for which errors of earlier configurations have been sent or refused. */
  #leftoversTriedFor: string | undefined;
  #failures = 0;
  readonly #done: Promise<void>;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#done = this.#run();
  }

  /** The outbox has a new error. */
  notify(): void {
    this.#wake?.();
  }

  /** Registers the agent although there may be nothing to report. */
  register(): void {
    this.#wantsRegistration = true;
    this.#wake?.();
  }

  /**
   * Sends the remaining errors, once, and ends. Waits no longer than this, and not at all for a service that has asked
   * for a pause or has refused. Never rejects.
   */
  async drain(milliseconds: number): Promise<void> {
    this.#isEnding = true;
    this.#pauses.endAll();
    this.#wake?.();
    const deadline = setTimeout(() => this.#abort.abort(), milliseconds);
    const isAborted = new Promise<void>((resolve) => {
      // An aborted request fails a moment later, and its failure is reported.
      this.#abort.signal.addEventListener('abort', () => setTimeout(resolve, afterAbortMilliseconds));
    });
    await Promise.race([this.#done, isAborted]);
    clearTimeout(deadline);
  }

  /** Ends a drain at once. */
  giveUp(): void {
    this.#abort.abort();
  }

  async #run(): Promise<void> {
    while (await this.#hasWork()) {
      await this.#pauses.wait(gatherMilliseconds);
      try {
        await this.#sendAll();
        this.#failures = 0;
      } catch (error) {
        const failure = toServiceFailure(error);
        this.#failures += 1;
        this.#options.onFailure(failure);
        if (failure.status === 410) this.#isMuted = true;
        if (this.#isEnding) return;
        await this.#pauses.wait(this.#delayAfter(failure));
        if (this.#isEnding && failure.kind !== 'unreachable') return;
      }
    }
  }

  /** Resolves to true when there is something to send, and to false when the sender has ended. */
  async #hasWork(): Promise<boolean> {
    for (;;) {
      if (this.#abort.signal.aborted) return false;
      if (!this.#isMuted) {
        if (this.#options.outbox.pending.length > 0) return true;
        if (this.#wantsRegistration && !this.#isEnding) return true;
      }
      if (this.#isEnding) return false;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }

  async #sendAll(): Promise<void> {
    const { outbox, registrar } = this.#options;
    const { signal } = this.#abort;
    await this.#sendLeftovers();
    await registrar.registerCurrent(signal);
    this.#wantsRegistration = false;
    this.#options.onRegistered?.();
    while (outbox.pending.length > 0) {
      await this.#sendLeftovers();
      await this.#send(takeBatch(outbox.pending), () => registrar.registerCurrent(signal));
    }
  }

  /**
   * Errors of an earlier configuration are sent before the current configuration is registered, so that the service
   * files them under the earlier one. Errors that are refused are sent later with the others.
   */
  async #sendLeftovers(): Promise<void> {
    const { outbox, registrar, configDigest } = this.#options;
    const current = configDigest();
    if (this.#leftoversTriedFor === current) return;
    const isLeftover = (error: SpooledError) => error.configDigest !== current;
    try {
      for (;;) {
        const leftovers = outbox.pending.filter(isLeftover);
        if (leftovers.length === 0) break;
        await this.#send(takeBatch(leftovers), () => registrar.registerAny(this.#abort.signal));
      }
    } catch (error) {
      if (toServiceFailure(error).kind !== 'refused') throw error;
    }
    this.#leftoversTriedFor = current;
  }

  /** Registers the agent again, once, when the service no longer knows it. */
  async #send(batch: readonly SpooledError[], register: () => Promise<Registration>): Promise<void> {
    const { registrar } = this.#options;
    const registration = await register();
    try {
      await this.#report(registration, batch);
    } catch (error) {
      const { status } = toServiceFailure(error);
      if (status === 401 || status === 404 || status === 410) await registrar.forget();
      if (status !== 401 && status !== 404) throw error;
      await this.#report(await register(), batch);
    }
  }

  async #report(registration: Registration, batch: readonly SpooledError[]): Promise<void> {
    const { service, outbox, onSent } = this.#options;
    try {
      await service.report(
        registration,
        batch.map(({ text }) => text),
        this.#abort.signal,
      );
    } catch (error) {
      const { status } = toServiceFailure(error);
      if (status !== 422 && status !== 413) throw error;
      // The service rejects one of them. Sending each alone finds it, and it is dropped.
      if (batch.length === 1) outbox.countDropped(1);
      else for (const one of batch) await this.#report(registration, [one]);
    }
    outbox.remove(batch);
    onSent();
  }

  #delayAfter({ kind, retryAfterSeconds = 0 }: ServiceFailure): number {
    if (kind === 'refused') return refusedRetryMilliseconds;
    const span = Math.min(maxRetryMilliseconds, firstRetryMilliseconds * 2 ** (this.#failures - 1));
    return (
      Math.min(retryAfterSeconds, maxRetryAfterSeconds) * 1_000 + span * (0.5 + this.#options.random() / 2)
    );
  }
}

function toServiceFailure(error: unknown): ServiceFailure {
  if (error instanceof ServiceFailure) return error;
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new ServiceFailure('refused', message, { cause: error });
}
