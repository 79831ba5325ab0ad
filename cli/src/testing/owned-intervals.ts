import type { Terminal } from '../terminal/terminal.ts';

interface Interval {
  readonly milliseconds: number;
  readonly work: () => void;
  passed: number;
}

/** Intervals that end when a test says that time has passed. */
export class OwnedIntervals {
  readonly #intervals = new Set<Interval>();

  readonly every: Terminal['every'] = (milliseconds, work) => {
    const interval = { milliseconds, work, passed: 0 };
    this.#intervals.add(interval);
    return () => void this.#intervals.delete(interval);
  };

  pass(milliseconds: number): void {
    for (const interval of this.#intervals) {
      interval.passed += milliseconds;
      for (; interval.passed >= interval.milliseconds; interval.passed -= interval.milliseconds)
        interval.work();
    }
  }
}
