import { minIDAt } from '../../clock.ts';

/** Over what new errors are counted, in milliseconds. */
export const minuteMilliseconds = 60_000;
export const secondMilliseconds = 1_000;

/** Limits on new errors; 0 means none. */
export interface NewErrorLimits {
  readonly openPerAgent: number;
  readonly newPerAgentPerMinute: number;
  readonly newPerProjectPerSecond: number;
}

/**
 * The errors that count towards a limit at a time: those from the first time on and before the second. What
 * is later than the time itself was made before a clock was put back, or by a replica whose clock is ahead. It counts
 * for as long as the interval, and not for as long as the clocks differ.
 *
 * @param milliseconds a time, and the length of the interval
 */
export function timesAround(now: number, milliseconds: number): readonly [number, number] {
  return [now - milliseconds + 1, now + milliseconds];
}

/** The same as ids: from the first one on and before the second. */
export function idsAround(now: number, milliseconds: number): readonly [string, string] {
  const [from, end] = timesAround(now, milliseconds);
  return [minIDAt(from), minIDAt(end)];
}
