import type { Clock } from '../clock.ts';

/** A clock that stands still until a test moves it. */
export interface TestClock {
  readonly now: Clock;
  advance(milliseconds: number): void;
}

export const testStart = Date.parse('2026-03-02T10:20:30.456Z');

export function createTestClock(start = testStart): TestClock {
  let now = start;
  return {
    now: () => now,
    advance(milliseconds) {
      now += milliseconds;
    },
  };
}
