import type { CallOptions, RetryOptions } from './options.ts';

/** Time limits and number of attempts of one call. */
export interface Limits {
  readonly totalMilliseconds: number;
  readonly attemptMilliseconds: number;
  readonly attempts: number;
  readonly retry: RetryOptions;
}

/**
 * Takes each limit from the call, otherwise from its client, otherwise from the defaults.
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

/** Maximum of a timer on every platform; a timer with a longer delay fires at once. */
const maxTimerMilliseconds = 2 ** 31 - 1;

function check(name: string, value: number, least: number): number {
  if (value >= least && value <= maxTimerMilliseconds) return value;
  throw new RangeError(`${name} is ${value}, but must be a number from ${least} to ${maxTimerMilliseconds}.`);
}

/** Removes undefined values, so that they do not hide the client's settings. */
function withoutUndefined(retry: RetryOptions | undefined): RetryOptions {
  return Object.fromEntries(Object.entries(retry ?? {}).filter(([, value]) => value !== undefined));
}
