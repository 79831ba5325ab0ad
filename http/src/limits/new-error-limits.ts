/** The intervals of the limits, in milliseconds. */
export const minuteMilliseconds = 60_000;
export const secondMilliseconds = 1_000;

/** Limits on new errors; 0 means none. */
export interface NewErrorLimits {
  readonly openPerAgent: number;
  readonly newPerAgentPerMinute: number;
  readonly newPerProjectPerSecond: number;
}

export type LimitName =
  | 'openPerAgent'
  | 'newPerAgentPerMinute'
  | 'openOfCause'
  | 'newOfCausePerMinute'
  | 'newPerProjectPerSecond'
  | 'storedBytesPerProject';

const minOfCause = 10;

/** How many errors of one cause may count towards a limit of an agent, so that a flood of one cause leaves room for the others. 0: no limit. */
export function shareOfCause(limit: number): number {
  return Math.min(limit, Math.max(minOfCause, Math.floor(limit / 4)));
}
