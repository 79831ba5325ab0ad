/** Over what new errors are counted, in milliseconds. */
export const minuteMilliseconds = 60_000;
export const secondMilliseconds = 1_000;

/** Limits on new errors; 0 means none. */
export interface NewErrorLimits {
  readonly openPerAgent: number;
  readonly newPerAgentPerMinute: number;
  readonly newPerProjectPerSecond: number;
}
