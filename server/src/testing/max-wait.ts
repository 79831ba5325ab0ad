/**
 * How long a test waits for something that happens soon. No machine is so slow: a test that waits for longer waits for
 * something that never happens. It is shorter than the limit of a test, so that the failure says what did not happen.
 */
export const maxWaitMilliseconds = 300_000;
