import { countingPartitions } from '../../../foundation/database/counting-partition.ts';

/** What a statement on the primary has seen of the queue. */
export interface QueueLook {
  /** Of each partition, the lowest key above its floor. */
  readonly lowestKeys: ReadonlyMap<number, number | null>;
  /** The greatest key that was assigned. */
  readonly lastKey: number;
  /** All transactions before `oldest` have ended, and none from `next` on had begun. */
  readonly oldest: number;
  readonly next: number;
}

interface Candidate {
  readonly key: number;
  readonly next: number | undefined;
}

/** About once a minute. */
const looksBetweenWhole = 240;

/**
 * Below which keys nothing of the queue of a partition can appear any more. While a long transaction runs, such as a backup, all changes that were counted since its begin stay in the
 * index: a look for the lowest key would read each of them again.
 *
 * Keys are assigned before their transactions commit, so a floor rises to a key only when all transactions have ended that had begun when it was assigned.
 * Now and then a look begins at the bottom, because a standby that takes over may assign keys a second time.
 */
export class QueueFloors {
  readonly #floors: number[] = Array.from({ length: countingPartitions }, () => 0);
  /** What the floors rise to, and the transaction before which all must have ended. */
  #candidate: Candidate | undefined;
  #looks = 0;

  of(partition: number): number {
    return this.#floors[partition] ?? 0;
  }

  /** For a statement that reads the queue. Pass what it has seen to the returned function. */
  beginLook(): { readonly floors: readonly number[]; readonly end: (look: QueueLook) => void } {
    this.#looks += 1;
    const isWhole = this.#looks % looksBetweenWhole === 0;
    const candidate = this.#candidate;
    return {
      floors: isWhole ? this.#floors.map(() => 0) : [...this.#floors],
      end: (look) => {
        for (const [partition, lowest] of look.lowestKeys) {
          if (lowest !== null && lowest <= this.of(partition)) this.#floors[partition] = lowest - 1;
        }
        // Another look, which began later or earlier, has taken the step.
        if (this.#candidate === candidate) this.#candidate = this.#step(candidate, look);
      },
    };
  }

  /** Each step takes a look of its own: what it has seen must have been after the step before. */
  #step(candidate: Candidate | undefined, look: QueueLook): Candidate | undefined {
    if (candidate === undefined) return { key: look.lastKey, next: undefined };
    if (candidate.next === undefined) return { key: candidate.key, next: look.next };
    if (look.oldest < candidate.next) return candidate;
    for (const [partition, lowest] of look.lowestKeys) {
      const reached = lowest === null ? candidate.key : Math.min(candidate.key, lowest - 1);
      this.#floors[partition] = Math.max(this.of(partition), reached);
    }
    return undefined;
  }
}
