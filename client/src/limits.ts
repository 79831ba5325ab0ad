import type { CallOptions, RetryOptions } from './options.ts';

/** How long and how often one call tries. */
export interface Limits {
  readonly totalMilliseconds: number;
  readonly attemptMilliseconds: number;
  readonly attempts: number;
  readonly retry: RetryOptions;
}

/**
 * What the call says, else what its client says, else the defaults.
 *
 * @throws RangeError
 */
export function limitsOf(client: CallOptions, call: CallOptions): Limits {
  const retry = { ...withoutUndefined(client.retry), ...withoutUndefined(call.retry) };
  for (const name of ['firstDelayMilliseconds', 'maxDelayMilliseconds'] as const) {
    check(`retry.${name}`, retry[name] ?? 0, 0);
  }
  return {
    totalMilliseconds: check(
      'timeoutMilliseconds',
      call.timeoutMilliseconds ?? client.timeoutMilliseconds ?? 60_000,
      1,
    ),
    attemptMilliseconds: check(
      'attemptTimeoutMilliseconds',
      call.attemptTimeoutMilliseconds ?? client.attemptTimeoutMilliseconds ?? 30_000,
      1,
    ),
    attempts: check('retry.attempts', retry.attempts ?? 7, 1),
    retry,
  };
}

/** Timers of all platforms take this at most, and fire at once above it. */
const longestTimer = 2 ** 31 - 1;

function check(name: string, value: number, least: number): number {
  if (value >= least && value <= longestTimer) return value;
  throw new RangeError(`${name} is ${value}, and has to be a number from ${least} to ${longestTimer}.`);
}

/** So that what is given as undefined does not hide what the client says. */
function withoutUndefined(retry: RetryOptions | undefined): RetryOptions {
  return Object.fromEntries(Object.entries(retry ?? {}).filter(([, value]) => value !== undefined));
}
