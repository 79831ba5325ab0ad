import type { Clock, MonotonicClock } from '../../../foundation/clock.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { renewListening } from './listening-store.ts';

interface ListeningOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly onFailure: (error: unknown) => void;
}

/** If the wall clock is ahead of the monotonic clock by more, it was set, or the machine slept. */
const maxJumpMilliseconds = 30_000;

/**
 * Knows since when the service has listened to agents without a break. Only a silence while the service listens makes an
 * agent offline, so that a fleet does not become offline because the service restarted or its machine slept.
 *
 * Replicas share through the database that at least one of them listens.
 */
export class Listening {
  readonly #options: ListeningOptions;
  #since: number;
  /** Since when this process has listened. */
  #jump: { readonly offset: number; readonly at: number };
  #renewal: Promise<void> = Promise.resolve();

  constructor(options: ListeningOptions) {
    this.#options = options;
    this.#since = options.clock();
    this.#jump = { offset: this.#offset(), at: 0 };
  }

  get since(): number {
    const offset = this.#offset();
    if (offset - this.#jump.offset > maxJumpMilliseconds) this.#jump = { offset, at: this.#options.clock() };
    return Math.max(this.#since, this.#jump.at);
  }

  /** Records for the other replicas that this one listens, and reads since when at least one does. */
  renew(): Promise<void> {
    this.#renewal = this.#renewal.then(() => this.#renew());
    return this.#renewal;
  }

  async close(): Promise<void> {
    await this.#renewal;
  }

  async #renew(): Promise<void> {
    const { database, clock, onFailure } = this.#options;
    try {
      this.#since = (await renewListening(database, clock())) ?? this.#since;
    } catch (error) {
      onFailure(error);
    }
  }

  #offset(): number {
    return this.#options.clock() - this.#options.monotonic();
  }
}
