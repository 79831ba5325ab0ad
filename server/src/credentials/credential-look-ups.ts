import { Refusal } from '../refusal.ts';
import type { TokenDigest } from '../secret.ts';
import { type PromiseWithResolvers, withResolvers } from '../with-resolvers.ts';
import type { Principal } from './principal.ts';

/** What is stored of a credential: its principal, and whether it is still valid. */
export interface StoredCredential {
  readonly principal: Principal;
  readonly revoked: boolean;
}

/** Looks up committed credentials with one statement. Unknown ones are missing in the result. */
export type FindCredentials = (
  digests: readonly TokenDigest[],
) => Promise<ReadonlyMap<string, StoredCredential>>;

interface CredentialLookUpsOptions {
  readonly find: FindCredentials;
  /** Maximum number of concurrent statements. */
  readonly maxConcurrent: number;
  /** How long to wait after a statement before the next one. */
  readonly pauseMilliseconds: number;
  /** Maximum number of credentials in one statement. */
  readonly batchSize?: number;
  /** Maximum number of credentials that wait; further ones are refused with 503. */
  readonly maxWaiting?: number;
}

type Found = StoredCredential | undefined;

type Waiting = PromiseWithResolvers<Found>;

const retryAfterSeconds = 1;

/**
 * Collects look-ups that arrive together into one statement. A flood of unknown credentials then costs the database a bounded number of statements,
 * and a valid credential among them waits for only one of these.
 */
export class CredentialLookUps {
  readonly #options: CredentialLookUpsOptions;
  readonly #batchSize: number;
  readonly #maxWaiting: number;
  #waiting = new Map<TokenDigest, Waiting>();
  #underWay = 0;
  #isScheduled = false;

  constructor(options: CredentialLookUpsOptions) {
    this.#options = options;
    this.#batchSize = options.batchSize ?? 1_000;
    this.#maxWaiting = options.maxWaiting ?? 10_000;
  }

  /**
   * Returns what a statement that begins after this call finds of a credential.
   *
   * @throws Refusal overloaded (as a rejection) when too many wait already.
   */
  find(digest: TokenDigest): Promise<Found> {
    const same = this.#waiting.get(digest);
    if (same !== undefined) return same.promise;
    if (this.#waiting.size >= this.#maxWaiting) {
      return Promise.reject(new Refusal('overloaded', { retryAfterSeconds }));
    }
    const waiting = withResolvers<Found>();
    this.#waiting.set(digest, waiting);
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

  async #run(batch: ReadonlyMap<TokenDigest, Waiting>): Promise<void> {
    this.#underWay += 1;
    try {
      const found = await this.#options.find([...batch.keys()]);
      for (const [digest, waiting] of batch) waiting.resolve(found.get(digest));
    } catch (error) {
      // The waiting ones are rejected too: while the database is down, they would wait for another timeout.
      for (const waiting of [...batch.values(), ...this.#waiting.values()]) waiting.reject(error);
      this.#waiting.clear();
    }
    if (this.#options.pauseMilliseconds > 0) await pause(this.#options.pauseMilliseconds);
    this.#underWay -= 1;
    if (this.#waiting.size > 0) this.#schedule();
  }

  #takeBatch(): ReadonlyMap<TokenDigest, Waiting> {
    if (this.#waiting.size <= this.#batchSize) {
      const all = this.#waiting;
      this.#waiting = new Map();
      return all;
    }
    const batch = new Map([...this.#waiting].slice(0, this.#batchSize));
    for (const digest of batch.keys()) this.#waiting.delete(digest);
    return batch;
  }
}

/** Does not keep the process alive: the connection of the waiting caller does. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
