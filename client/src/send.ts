import { makeAttempt } from './attempt.ts';
import { type BuiltRequest, buildRequest } from './build-request.ts';
import { createIdempotencyKey } from './create-idempotency-key.ts';
import { credentialHeaders } from './credential-headers.ts';
import { limitsOf } from './limits.ts';
import type { Operation } from './operation.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import type { Fetch, FetchInit, Signal } from './platform.ts';
import type { Answer } from './read-answer.ts';
import { delayAfter, mayRepeat } from './retry.ts';

/** The parts that all calls of a client share; tests replace them. */
export interface Connection {
  readonly address: string;
  readonly fetch: Fetch;
  readonly options: ClientOptions;
  readonly time: Time;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** A monotonic clock in milliseconds, and a wait that the signal ends with its reason. */
export interface Time {
  now(): number;
  wait(milliseconds: number, signal: Signal | undefined): Promise<void>;
}

/**
 * Sends a request until it is answered, finally refused, or out of attempts or time.
 *
 * @throws MusterError, MusterConnectionError, the reason of the signal, TypeError for input that cannot be sent
 */
export async function send(
  connection: Connection,
  operation: Operation,
  input: object,
  options: CallOptions = {},
): Promise<Answer> {
  const limits = limitsOf(connection.options, options);
  const request = withIdempotencyKey(buildRequest(connection.address, operation, input), operation, options);
  const { signal } = options;
  const { time, random } = connection;
  const deadline = time.now() + limits.totalMilliseconds;
  for (let attempt = 1; ; attempt += 1) {
    if (signal?.aborted) throw signal.reason;
    try {
      return await makeAttempt({
        operation,
        url: request.url,
        attempt,
        fetch: connection.fetch,
        init: () => initOf(connection, operation, request),
        limitMilliseconds: Math.min(
          limits.attemptMilliseconds,
          Math.max(1, Math.ceil(deadline - time.now())),
        ),
        signal,
      });
    } catch (error) {
      const delay = delayAfter(attempt, error, limits.retry, random());
      const isLast = attempt >= limits.attempts || time.now() + delay >= deadline;
      if (isLast || signal?.aborted || !mayRepeat(error, operation.repeatable)) throw error;
      limits.retry.onRetry?.({ operation: operation.id, attempt, delayMilliseconds: delay, error });
      await time.wait(delay, signal);
    }
  }
}

function withIdempotencyKey(
  request: BuiltRequest,
  { takesIdempotencyKey }: Operation,
  { idempotencyKey }: CallOptions,
): BuiltRequest {
  if (takesIdempotencyKey !== true) return request;
  return {
    ...request,
    headers: { ...request.headers, 'idempotency-key': idempotencyKey ?? createIdempotencyKey() },
  };
}

export async function initOf(
  { options }: Connection,
  { method }: Operation,
  { headers, body }: BuiltRequest,
): Promise<Omit<FetchInit, 'signal'>> {
  const { credential, userAgent } = options;
  const shown = typeof credential === 'function' ? await credential() : credential;
  return {
    method,
    headers: {
      ...headers,
      ...(userAgent === undefined ? {} : { 'user-agent': userAgent }),
      ...credentialHeaders(shown),
    },
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
  };
}
