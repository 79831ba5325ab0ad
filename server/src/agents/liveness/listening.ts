import type { Clock, MonotonicClock } from '../../clock.ts';
import type { Database } from '../../database/database.ts';
import { renewListening } from './listening-store.ts';

interface ListeningOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly onFailure: (error: unknown) => void;
}

const renewalMilliseconds = 10_000;
/** A clock that goes on by itself for longer was set, or the machine slept. */
const maxJumpMilliseconds = 30_000;

/**
 * Since when the service hears agents without a break. An agent is called offline only for a silence that the service
 * has listened to: neither a restart nor a machine that slept turns a fleet offline.
 *
 * Replicas tell one another through the database that one of them listens.
 */
export class Listening {
  readonly #options: ListeningOptions;
  readonly #timer: NodeJS.Timeout | undefined;
  #since: number;
  /** Of this process alone. */
  #jump: { readonly offset: number; readonly at: number };
  #renewal: Promise<void> = Promise.resolve();

  constructor(options: ListeningOptions) {
    this.#options = options;
    this.#since = options.clock();
    this.#jump = { offset: this.#offset(), at: 0 };
    if (options.database.engine === 'postgres') {
      this.#timer = setInterval(() => void this.renew(), renewalMilliseconds).unref();
    }
  }

  get since(): number {
    const offset = this.#offset();
    if (offset - this.#jump.offset > maxJumpMilliseconds) this.#jump = { offset, at: this.#options.clock() };
    return Math.max(this.#since, this.#jump.at);
  }

  /** Tells the other replicas that this one listens, and learns since when one of them does. */
  renew(): Promise<void> {
    this.#renewal = this.#renewal.then(() => this.#renew());
    return this.#renewal;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
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
