import type { Timer } from '../timer.ts';

interface Wait {
  readonly run: () => void;
  readonly milliseconds: number;
}

/** A timer whose waits end when the test says so. */
export class HeldTimer implements Timer {
  /** Those that have neither ended nor been cleared, the first one first. */
  waits: Wait[] = [];

  set(run: () => void, milliseconds: number): unknown {
    const wait = { run, milliseconds };
    this.waits.push(wait);
    return wait;
  }

  clear(handle: unknown): void {
    this.waits = this.waits.filter((wait) => wait !== handle);
  }

  /** Ends the first wait, and returns how long it was; undefined without one. */
  endWait(): number | undefined {
    const wait = this.waits.shift();
    wait?.run();
    return wait?.milliseconds;
  }
}
