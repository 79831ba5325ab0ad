import { connectionError } from './attempt.ts';
import { buildRequest } from './build-request.ts';
import { MusterAnswerError, MusterConnectionError, MusterError, MusterTimeoutError } from './errors.ts';
import { limitsOf } from './limits.ts';
import type { Operation } from './operation.ts';
import type { CallOptions } from './options.ts';
import type { FetchAnswer } from './platform.ts';
import { type Asked, readAnswer } from './read-answer.ts';
import { type Connection, initOf } from './send.ts';

export interface StreamOptions extends CallOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly attempt: number;
}

/** The service sends something every 15 seconds. */
const maxSilentMilliseconds = 45_000;

/**
 * Sends a request once, and gives its answer piece by piece as it arrives, until it ends.
 *
 * @throws MusterError, MusterConnectionError, the reason of the signal
 */
export async function* stream(
  connection: Connection,
  operation: Operation,
  input: object,
  { headers, attempt, ...options }: StreamOptions,
): AsyncGenerator<string> {
  const { signal } = options;
  const { attemptMilliseconds } = limitsOf(connection.options, options);
  const request = buildRequest(connection.address, operation, input);
  const asked: Asked = { operation, url: request.url, attempt };
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  let timer = setTimeout(() => controller.abort(silence(asked, attemptMilliseconds)), attemptMilliseconds);
  try {
    const init = await initOf(connection, operation, request);
    const response = await connection.fetch(request.url, {
      ...init,
      headers: { ...init.headers, ...headers },
      signal: controller.signal,
    });
    const reader = await openBody(response, asked);
    const decoder = new TextDecoder();
    for (;;) {
      clearTimeout(timer);
      timer = setTimeout(
        () => controller.abort(silence(asked, maxSilentMilliseconds)),
        maxSilentMilliseconds,
      );
      const { done, value } = await reader.read();
      // The time that the caller takes for what came is no silence.
      clearTimeout(timer);
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (controller.signal.reason instanceof MusterTimeoutError) throw controller.signal.reason;
    if (error instanceof MusterError || error instanceof MusterConnectionError) throw error;
    throw connectionError(asked, error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    controller.abort();
  }
}

/** @throws MusterError for a refusal, MusterAnswerError for an answer that is no stream */
async function openBody(response: FetchAnswer, asked: Asked) {
  const contentType = response.headers.get('content-type') || undefined;
  const isStream = contentType?.startsWith('text/event-stream') ?? false;
  if (response.status === 200 && isStream && response.body) return response.body.getReader();
  // Every other answer is read as one that was expected to be JSON, so that it is explained in the same words.
  if (!isStream) await readAnswer(response, { ...asked, operation: { ...asked.operation, answers: 'json' } });
  throw noStream(
    asked,
    isStream
      ? 'The fetch of this platform cannot read an answer as it arrives.'
      : `It answered with ${contentType}. Check the url.`,
  );
}

/** Not repeated: the next answer would be the same. */
export function noStream({ operation, url, attempt }: Asked, why: string): MusterAnswerError {
  return new MusterAnswerError(
    `${operation.id} got no stream of events from ${new URL(url).origin}. ${why}`,
    {
      status: 200,
      contentType: undefined,
      retryAfterSeconds: undefined,
      attempts: attempt,
      mayBeDone: false,
    },
  );
}

function silence({ operation, url, attempt }: Asked, milliseconds: number): MusterTimeoutError {
  return new MusterTimeoutError(
    `${operation.id} heard nothing from ${new URL(url).origin} for ${milliseconds} ms.`,
    { mayBeDone: true, attempts: attempt },
  );
}
