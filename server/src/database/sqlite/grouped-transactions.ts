import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

interface Waiting {
  readonly key: string;
  /** Does the work in that transaction, and keeps its result. */
  readonly attempt: (trx: Kysely<Tables>) => Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** More of them hold up whoever waits for a turn to write. */
const maxGroupSize = 50;

/**
 * Puts transactions that come together into one: each commit waits for the disk, and the writer runs one at a time.
 * While a group is under way the next one gathers. Others get their turn to write in between.
 */
export class GroupedTransactions {
  readonly #write: Kysely<Tables>;
  #queue: Waiting[] = [];
  #isDraining = false;

  constructor(write: Kysely<Tables>) {
    this.#write = write;
  }

  /** @see FleetTransactions */
  run<Result>(key: string, work: (trx: Kysely<Tables>) => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      let result: Result;
      this.#queue.push({
        key,
        async attempt(trx) {
          result = await work(trx);
        },
        resolve: () => resolve(result),
        reject,
      });
      if (this.#isDraining) return;
      this.#isDraining = true;
      // After this turn's other requests were read, so that the first group gathers too.
      setImmediate(() => void this.#drain());
    });
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const group = this.#takeGroup();
      if (!(await this.#commitTogether(group))) {
        for (const one of group) await this.#commitAlone(one);
      }
    }
    this.#isDraining = false;
  }

  /** In their order, without those that have to wait for an earlier one of their key. */
  #takeGroup(): Waiting[] {
    const group = new Map<string, Waiting>();
    const later: Waiting[] = [];
    for (const waiting of this.#queue) {
      if (group.size === maxGroupSize || group.has(waiting.key)) later.push(waiting);
      else group.set(waiting.key, waiting);
    }
    this.#queue = later;
    return [...group.values()];
  }

  /** False where one of several has failed: all of them are undone, and which one it was has to be found out. */
  async #commitTogether(group: readonly Waiting[]): Promise<boolean> {
    let hasFailed = false;
    try {
      await this.#write.transaction().execute(async (trx) => {
        // All of them are over before the transaction is: what is left of one would run outside of it.
        const outcomes = await Promise.allSettled(group.map(({ attempt }) => attempt(trx)));
        const failure = outcomes.find(({ status }) => status === 'rejected');
        if (failure?.status !== 'rejected') return;
        hasFailed = true;
        throw failure.reason;
      });
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (hasFailed && group.length > 1) return false;
      for (const { reject } of group) reject(error);
    }
    return true;
  }

  async #commitAlone(one: Waiting): Promise<void> {
    await this.#commitTogether([one]);
  }
}
