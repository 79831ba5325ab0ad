import { explainFailure, wasNeverSent } from './connection-failure.ts';
import { MusterConnectionError, MusterError, MusterTimeoutError } from './errors.ts';
import type { Fetch, FetchInit, Signal } from './platform.ts';
import { type Answer, type Asked, readAnswer } from './read-answer.ts';

/** One request, ready to be sent. */
export interface Attempt extends Asked {
  readonly fetch: Fetch;
  readonly init: () => Promise<Omit<FetchInit, 'signal'>>;
  readonly limitMilliseconds: number;
  /** The signal of the caller. */
  readonly signal: Signal | undefined;
}

/**
 * Sends a request once.
 *
 * @throws the reason of the signal, MusterTimeoutError, MusterConnectionError, and what `readAnswer` throws
 */
export async function makeAttempt(attempt: Attempt): Promise<Answer> {
  const { signal, limitMilliseconds } = attempt;
  const controller = new AbortController();
  // A fetch that ignores its signal must not delay the caller.
  const ended = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason));
  });
  const timer = setTimeout(() => controller.abort(timeoutOf(attempt)), limitMilliseconds);
  const onAbort = (): void => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  try {
    return await Promise.race([exchange(attempt, controller.signal), ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    // Releases the connection of an answer whose body nobody reads.
    controller.abort();
  }
}

async function exchange(attempt: Attempt, signal: Signal): Promise<Answer> {
  const init = await attempt.init();
  try {
    const response = await attempt.fetch(attempt.url, { ...init, signal });
    return await readAnswer(response, attempt);
  } catch (error) {
    if (error instanceof MusterError || error instanceof MusterConnectionError) throw error;
    throw connectionError(attempt, error);
  }
}

export function connectionError({ operation, url, attempt }: Asked, cause: unknown): MusterConnectionError {
  const mayBeDone = !wasNeverSent(cause);
  const why = explainFailure(cause, url);
  const advice =
    mayBeDone && !operation.repeatable
      ? ' It may still have been carried out: check before you try again.'
      : '';
  return new MusterConnectionError(
    `${operation.id} got no answer from ${new URL(url).origin}: ${why}. Check that the service runs and that the url is right.${advice}`,
    { mayBeDone, attempts: attempt, reason: why, cause },
  );
}

function timeoutOf({ operation, url, attempt, limitMilliseconds }: Attempt): MusterTimeoutError {
  const advice = operation.repeatable
    ? ''
    : ' It may still have been carried out: check before you try again.';
  return new MusterTimeoutError(
    `${operation.id} got no answer from ${new URL(url).origin} within ${limitMilliseconds} ms.${advice}`,
    { mayBeDone: true, attempts: attempt },
  );
}
