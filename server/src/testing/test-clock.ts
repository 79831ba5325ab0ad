import type { Clock, MonotonicClock } from '../foundation/clock.ts';

/** A clock that stands still until a test moves it. Like the one of the system it has whole milliseconds, which columns of times require. */
export interface TestClock {
  readonly now: Clock;
  readonly monotonic: MonotonicClock;
  /** Time passes. Back: the same as `set`. */
  advance(milliseconds: number): void;
  /** Sets the clock forward, or back if negative, without time passing. */
  set(milliseconds: number): void;
}

export const testStart = Date.parse('2026-03-02T10:20:30.456Z');

export function createTestClock(start = testStart): TestClock {
  requireWhole(start);
  let now = start;
  let passed = 0;
  return {
    now: () => now,
    monotonic: () => passed,
    advance(milliseconds) {
      requireWhole(milliseconds);
      now += milliseconds;
      passed += Math.max(0, milliseconds);
    },
    set(milliseconds) {
      requireWhole(milliseconds);
      now += milliseconds;
    },
  };
}

function requireWhole(milliseconds: number): void {
  if (!Number.isSafeInteger(milliseconds)) throw new Error(`A clock of whole milliseconds: ${milliseconds}`);
}
