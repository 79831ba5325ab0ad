import type { MonotonicClock } from '../../../foundation/clock.ts';

/** A turn that counts at least this many changes belongs to a storm. */
const stormChanges = 1_000;
const stormPaceMilliseconds = 1_000;
const skippedTurns = 3;
const stormMilliseconds = 10_000;

/**
 * When the changes of a partition are counted next, by any replica, after so many were counted at a time. In a storm, those of a second are counted
 * together. 0: at any time.
 */
export function nextCountAt(changes: number, now: number): number {
  return changes >= stormChanges ? now + stormPaceMilliseconds : 0;
}

/** Whether the changes are not yet due. A time that is too far ahead comes from a clock that was wrong. */
export function isPaced(nextAt: number, now: number): boolean {
  return nextAt > now && nextAt <= now + 2 * stormPaceMilliseconds;
}

/**
 * Decides which turns of the counter count. In a storm, one turn in four does: the changes of a group and an agent are then counted together, and each
 * of these pairs is written once a second instead of four times. Reads do not wait for counts in a storm, because there are always new changes.
 */
export class CountingPace {
  readonly #monotonic: MonotonicClock;
  #turnsToSkip = 0;
  #stormUntil = Number.NEGATIVE_INFINITY;

  constructor(monotonic: MonotonicClock) {
    this.#monotonic = monotonic;
  }

  /** Whether one was noticed in the last 10 s, here or, by reads that waited in vain, at another replica. */
  isStorm(): boolean {
    return this.#monotonic() < this.#stormUntil;
  }

  /** Call it once for each turn. */
  countsInTurn(): boolean {
    if (this.#turnsToSkip === 0) return true;
    this.#turnsToSkip -= 1;
    return false;
  }

  /** @param changes how many changes a turn has counted */
  noteCounted(changes: number): void {
    const isStorm = changes >= stormChanges;
    this.#turnsToSkip = isStorm ? skippedTurns : 0;
    if (isStorm) this.noteStorm();
  }

  /** Call it also after a read has waited for its counts in vain. */
  noteStorm(): void {
    this.#stormUntil = this.#monotonic() + stormMilliseconds;
  }
}
