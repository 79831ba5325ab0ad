import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

interface Waiting {
  readonly key: string;
  /** Runs the work in the transaction, and stores its result. */
  readonly attempt: (trx: Kysely<Tables>) => Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Larger groups would delay others that wait for the write turn. */
const maxGroupSize = 50;

/**
 * Combines concurrent transactions into one commit, because each commit waits for the disk and the writer runs one at a time. While a group is under
 * way, the next one is collected. Others get the write turn in between.
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
      // After the other requests of this turn were read, so that the first group includes them.
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

  /** The next group in order, without transactions that must wait for an earlier one with the same key. */
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

  /** Returns false if one of several failed: all are rolled back, and are then run one by one to find the failing one. */
  async #commitTogether(group: readonly Waiting[]): Promise<boolean> {
    let hasFailed = false;
    try {
      await this.#write.transaction().execute(async (trx) => {
        // Waits for all of them before the transaction ends, otherwise remaining statements would run outside it.
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
