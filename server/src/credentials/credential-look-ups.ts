import { Refusal } from '../refusal.ts';
import type { TokenDigest } from '../secret.ts';
import { type PromiseWithResolvers, withResolvers } from '../with-resolvers.ts';
import type { Principal } from './principal.ts';

/** What is stored of a credential: whom it stands for, and whether it still does. */
export interface StoredCredential {
  readonly principal: Principal;
  readonly revoked: boolean;
}

/** Looks credentials up among what is committed, with one statement; those that are not stored are left out. */
export type FindCredentials = (
  digests: readonly TokenDigest[],
) => Promise<ReadonlyMap<string, StoredCredential>>;

interface CredentialLookUpsOptions {
  readonly find: FindCredentials;
  /** Most statements under way. */
  readonly maxConcurrent: number;
  /** How long to wait after a statement before the next one. */
  readonly pauseMilliseconds: number;
  /** Most credentials in one statement. */
  readonly batchSize?: number;
  /** Most credentials that wait; beyond, callers are told to come back. */
  readonly maxWaiting?: number;
}

type Found = StoredCredential | undefined;

type Waiting = PromiseWithResolvers<Found>;

const retryAfterSeconds = 1;

/**
 * Gathers look-ups that arrive together into one statement, so that a flood of unknown credentials costs the
 * database a bounded number of statements, and whoever is valid among them waits for one of those and no longer.
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
   * What is stored of a credential, as of a statement that begins after this call.
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

  /** After this turn's other requests were read, so that the first batch gathers too. */
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
      // Those that wait too: a database that is away would let them wait for its time limit once more.
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

/** Keeps no process alive: whoever waits has a connection that does. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
