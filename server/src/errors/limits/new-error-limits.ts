import type { NewErrorLimits } from '@muster/http/limits/new-error-limits';
import { minIDAt } from '../../foundation/clock.ts';

export {
  minuteMilliseconds,
  type NewErrorLimits,
  secondMilliseconds,
  shareOfCause,
} from '@muster/http/limits/new-error-limits';

/**
 * Those that apply to what a core instance passes on: of what is stored, not of how fast. After an outage, everything that agents reported meanwhile comes
 * within minutes, and what is refused here is lost, because the site has accepted it.
 */
export function limitsOfSites(limits: NewErrorLimits): NewErrorLimits {
  return { ...limits, newPerAgentPerMinute: 0, newPerProjectPerSecond: 0 };
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
