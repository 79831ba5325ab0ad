import { Refusal } from '../refusal.ts';
import { type PromiseWithResolvers, withResolvers } from '../with-resolvers.ts';

interface LookUpsOptions<Key extends string, Found> {
  /** Finds the keys with one statement. Keys that are not stored are absent from the result. */
  readonly find: (keys: readonly Key[]) => Promise<ReadonlyMap<string, Found>>;
  /** Maximum number of concurrent statements. */
  readonly maxConcurrent: number;
  /** How long to wait after a statement before the next one. */
  readonly pauseMilliseconds: number;
  /** Maximum number of keys in one statement. */
  readonly batchSize?: number;
  /** Maximum number of keys that wait; further ones are refused with 503. */
  readonly maxWaiting?: number;
}

type Waiting<Found> = PromiseWithResolvers<Found | undefined>;

const retryAfterSeconds = 1;

/**
 * Collects look-ups that arrive together into one statement. Any number of them costs the database a bounded number of
 * statements, and each look-up waits for only one of these.
 */
export class LookUps<Key extends string, Found> {
  readonly #options: LookUpsOptions<Key, Found>;
  readonly #batchSize: number;
  readonly #maxWaiting: number;
  #waiting = new Map<Key, Waiting<Found>>();
  #underWay = 0;
  #isScheduled = false;

  constructor(options: LookUpsOptions<Key, Found>) {
    this.#options = options;
    this.#batchSize = options.batchSize ?? 1_000;
    this.#maxWaiting = options.maxWaiting ?? 10_000;
  }

  /**
   * Returns what a statement that begins after this call finds under a key.
   *
   * @throws Refusal overloaded (as a rejection) when too many wait already.
   */
  find(key: Key): Promise<Found | undefined> {
    const same = this.#waiting.get(key);
    if (same !== undefined) return same.promise;
    if (this.#waiting.size >= this.#maxWaiting) {
      return Promise.reject(new Refusal('overloaded', { retryAfterSeconds }));
    }
    const waiting = withResolvers<Found | undefined>();
    this.#waiting.set(key, waiting);
    this.#schedule();
    return waiting.promise;
  }

  /** Starts after the other requests of this turn were read, so that the first batch includes them. */
  #schedule(): void {
    if (this.#isScheduled || this.#underWay >= this.#options.maxConcurrent) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#waiting.size === 0) return;
      void this.#run(this.#takeBatch());
      if (this.#waiting.size > 0) this.#schedule();
    });
  }

  async #run(batch: ReadonlyMap<Key, Waiting<Found>>): Promise<void> {
    this.#underWay += 1;
    try {
      const found = await this.#options.find([...batch.keys()]);
      for (const [key, waiting] of batch) waiting.resolve(found.get(key));
    } catch (error) {
      // The waiting ones are rejected too: while the database is down, they would wait for another timeout.
      for (const waiting of [...batch.values(), ...this.#waiting.values()]) waiting.reject(error);
      this.#waiting.clear();
    }
    if (this.#options.pauseMilliseconds > 0) await pause(this.#options.pauseMilliseconds);
    this.#underWay -= 1;
    if (this.#waiting.size > 0) this.#schedule();
  }

  #takeBatch(): ReadonlyMap<Key, Waiting<Found>> {
    if (this.#waiting.size <= this.#batchSize) {
      const all = this.#waiting;
      this.#waiting = new Map();
      return all;
    }
    const batch = new Map([...this.#waiting].slice(0, this.#batchSize));
    for (const key of batch.keys()) this.#waiting.delete(key);
    return batch;
  }
}

/** Does not keep the process alive: the connection of the waiting caller does. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
