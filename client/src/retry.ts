import { MusterAnswerError, MusterConnectionError, MusterError } from './errors.ts';
import type { RetryOptions } from './options.ts';

/** Tells whether the request may be repeated after this failure. */
export function mayRepeat(
  error: unknown,
  isRepeatable: boolean,
): error is MusterError | MusterConnectionError {
  if (error instanceof MusterError) {
    return isRefusedForNow(error) && (isRepeatable || saysThatNothingWasDone(error));
  }
  if (error instanceof MusterAnswerError) {
    return isGatewayTrouble(error) && (isRepeatable || saysWhenToComeBack(error));
  }
  return error instanceof MusterConnectionError && (isRepeatable || !error.mayBeDone);
}

function isRefusedForNow({ status }: MusterError): boolean {
  return status === 408 || status === 429 || status === 503;
}

/** `database_unavailable` can also mean a connection that broke during a commit, with an unknown outcome. */
function saysThatNothingWasDone({ code }: MusterError): boolean {
  return code !== 'database_unavailable';
}

function isGatewayTrouble({ status }: MusterAnswerError): boolean {
  return [408, 429, 502, 503, 504].includes(status);
}

/** A gateway sends Retry-After when it rejects a request without passing it on; for a request that it lost, it cannot. */
function saysWhenToComeBack({ status, retryAfterSeconds }: MusterAnswerError): boolean {
  return (status === 429 || status === 503) && retryAfterSeconds !== undefined;
}

/**
 * How long to wait after a failed attempt, in milliseconds: the time that the service asks for, an hour at most, plus between half and
 * all of a span that doubles with each attempt. The random half spreads callers that failed together; the fixed half
 * makes the attempts last longer than a restart of the service.
 *
 * @param random from 0 up to 1
 */
export function delayAfter(
  attempt: number,
  error: unknown,
  { firstDelayMilliseconds = 250, maxDelayMilliseconds = 10_000 }: RetryOptions,
  random: number,
): number {
  const span = Math.min(maxDelayMilliseconds, firstDelayMilliseconds * 2 ** (attempt - 1));
  return Math.round(retryAfterMilliseconds(error) + (span * (1 + random)) / 2);
}

/** A proxy may ask for days, which its maintenance does not take, and a timer of more than 24 days fires at once. */
const maxRetryAfterSeconds = 3_600;

function retryAfterMilliseconds(error: unknown): number {
  const seconds =
    error instanceof MusterError || error instanceof MusterAnswerError ? error.retryAfterSeconds : undefined;
  return Math.min(seconds ?? 0, maxRetryAfterSeconds) * 1_000;
}
