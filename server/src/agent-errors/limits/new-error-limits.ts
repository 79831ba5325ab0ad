import { minIDAt } from '../../clock.ts';

/** The intervals of the limits, in milliseconds. */
export const minuteMilliseconds = 60_000;
export const secondMilliseconds = 1_000;

/** Limits on new errors; 0 means none. */
export interface NewErrorLimits {
  readonly openPerAgent: number;
  readonly newPerAgentPerMinute: number;
  readonly newPerProjectPerSecond: number;
}

/**
 * Those that apply to what a core instance passes on: of what is stored, not of how fast. After an outage, everything that agents reported meanwhile comes
 * within minutes, and what is refused here is lost, because the site has accepted it.
 */
export function limitsOfSites(limits: NewErrorLimits): NewErrorLimits {
  return { ...limits, newPerAgentPerMinute: 0, newPerProjectPerSecond: 0 };
}

const minOfCause = 10;

/** How many errors of one cause may count towards a limit of an agent, so that a flood of one cause leaves room for the others. 0: no limit. */
export function shareOfCause(limit: number): number {
  return Math.min(limit, Math.max(minOfCause, Math.floor(limit / 4)));
}

/**
 * The half-open range of times whose errors count towards a limit. It extends beyond `now`: a later error was created before a clock was set back, or
 * by a replica whose clock is ahead. It counts for one interval, not for as long as the clocks differ.
 *
 * @param milliseconds the length of the interval
 */
export function timesAround(now: number, milliseconds: number): readonly [number, number] {
  return [now - milliseconds + 1, now + milliseconds];
}

/** The same half-open range as ids. */
export function idsAround(now: number, milliseconds: number): readonly [string, string] {
  const [from, end] = timesAround(now, milliseconds);
  return [minIDAt(from), minIDAt(end)];
}
