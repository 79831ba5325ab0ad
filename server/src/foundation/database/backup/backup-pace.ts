import { setTimeout as pauseFor } from 'node:timers/promises';

/** What a pace reads the time from, and waits with. */
export interface PaceTime {
  /** Milliseconds, never set back. */
  readonly monotonic: () => number;
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

const processTime: PaceTime = { monotonic: () => performance.now(), pause: pauseFor };

/** Each commit waits for the disk on which a backup writes; nothing waits for what it reads or computes. */
const writeWeight = 4;
/** Work of less than this is followed by no pause of its own: a timer is not more precise than a few of these. */
const portionMilliseconds = 20;

/**
 * Pauses between the portions of a backup. A low priority is not enough: it yields a processor that others want, but an idle processor often shares its caches, its
 * memory, its disk and its core with one that is not.
 */
export class BackupPace {
  readonly #pauseFactor: number;
  readonly #time: PaceTime;
  #workingSince: number;

  /** @param pauseFactor pause after each portion as a multiple of the time that the portion took; 0: none */
  constructor(pauseFactor: number, time: PaceTime = processTime) {
    this.#pauseFactor = pauseFactor;
    this.#time = time;
    this.#workingSince = time.monotonic();
  }

  /** Called after each small step. Pauses if enough was done since the last pause. */
  async rest(): Promise<void> {
    await this.#pauseAfterPortion(this.#pauseFactor);
  }

  /** Like `rest`, after a step that wrote to the disk: its pauses are longer. */
  async restAfterWriting(): Promise<void> {
    await this.#pauseAfterPortion(this.#pauseFactor * writeWeight);
  }

  /** Goes on without a pause for what was done so far. */
  hurry(): void {
    this.#workingSince = this.#time.monotonic();
  }

  async #pauseAfterPortion(factor: number): Promise<void> {
    const worked = this.#time.monotonic() - this.#workingSince;
    if (factor === 0 || worked < portionMilliseconds) return;
    await this.#time.pause(worked * factor);
    this.#workingSince = this.#time.monotonic();
  }
}
