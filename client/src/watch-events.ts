import type { Client } from './client.ts';
import { MusterConnectionError } from './errors.ts';
import type { ProjectEvent } from './generated/schemas.gen.ts';
import { limitsOf } from './limits.ts';
import type { Operation } from './operation.ts';
import type { CallOptions } from './options.ts';
import { EventStreamError, parseEventStream } from './parse-event-stream.ts';
import { delayAfter, mayRepeat } from './retry.ts';
import { noStream, stream } from './stream.ts';

/**
 * What to watch.
 *
 * @example
 * ```ts
 * const input: WatchEventsInput = { projectID, types: ['agent.*', 'agent_error_group.new'] };
 * for await (const { data } of watchEvents(client, input)) console.log(data);
 * ```
 */
export interface WatchEventsInput {
  readonly projectID: string;
  /** Types, or beginnings such as `agent.*`. Absent: all that the credential may read. */
  readonly types?: readonly string[] | undefined;
  /** Continue after this event. Absent: begin now. */
  readonly lastEventID?: string | undefined;
  /** Called whenever the stream is open: at first, and after each time that it broke. `retry.onRetry` is called when it breaks. */
  readonly onOpen?: (() => void) | undefined;
}

/**
 * One event.
 *
 * @example
 * ```ts
 * for await (const event of watchEvents(client, { projectID })) {
 *   const { id, data }: WatchedEvent = event;
 *   console.log(id, data.type);
 * }
 * ```
 */
export interface WatchedEvent {
  /** For `lastEventID`: continue after this event, after a restart of the caller. */
  readonly id: string;
  readonly data: ProjectEvent;
}

const operation: Operation = {
  id: 'watchEvents',
  method: 'GET',
  path: '/v1/projects/{projectID}/events',
  status: 200,
  answers: 'text',
  repeatable: true,
};

/**
 * Follows what happens in a project, until the caller leaves the loop or the signal is aborted. A connection that breaks is
 * opened again, and continues after the last event: none is skipped, and one can come twice. If events were removed while the
 * caller was away, an event `reset` comes first. Unless the call has `retry.attempts`, it never gives up while the service is
 * away. A stream that ends before anything has happened counts as a failure too, so that the waits grow.
 *
 * @throws MusterError if the service refuses the stream, MusterConnectionError after `retry.attempts` failures in a row,
 *   MusterAnswerError if something else answers, and the reason of the signal
 * @example
 * ```ts
 * for await (const { data } of watchEvents(client, { projectID, types: ['agent_error_group.new'] })) {
 *   if ('pattern' in data) console.log(data.pattern);
 * }
 * ```
 */
export async function* watchEvents(
  client: Client,
  { projectID, types, lastEventID, onOpen }: WatchEventsInput,
  options: CallOptions = {},
): AsyncGenerator<WatchedEvent> {
  const query = { projectID, types: types?.join(',') };
  const maxAttempts = options.retry?.attempts ?? Number.POSITIVE_INFINITY;
  let lastID = lastEventID;
  for (let attempt = 1; ; attempt += 1) {
    let failure: unknown = new MusterConnectionError('The stream of events ended.', {
      mayBeDone: false,
      attempts: attempt,
    });
    try {
      const headers = {
        accept: 'text/event-stream, application/problem+json',
        ...(lastID === undefined ? {} : { 'last-event-id': lastID }),
      };
      const pieces = stream(client.connection(), operation, query, { ...options, headers, attempt });
      let isOpening = true;
      for await (const { id, data } of parseEventStream(pieces)) {
        // The first block tells only where the stream begins.
        if (!isOpening || data !== undefined) attempt = 1;
        if (isOpening) onOpen?.();
        isOpening = false;
        lastID = id ?? lastID;
        if (data !== undefined && lastID !== undefined) yield { id: lastID, data: readEvent(data) };
      }
    } catch (error) {
      failure =
        error instanceof EventStreamError
          ? noStream({ operation, url: client.url, attempt }, error.message)
          : error;
    }
    if (options.signal?.aborted) throw options.signal.reason;
    if (attempt >= maxAttempts || !mayRepeat(failure, true)) throw failure;
    await waitBefore(client, attempt, failure, options);
  }
}

/** @throws EventStreamError */
function readEvent(data: string): ProjectEvent {
  try {
    return JSON.parse(data) as ProjectEvent; // the tests of the service check what it sends
  } catch {
    throw new EventStreamError('It sends events that are not JSON.');
  }
}

/** Waits before the next attempt. */
async function waitBefore(
  client: Client,
  attempt: number,
  error: unknown,
  options: CallOptions,
): Promise<void> {
  const connection = client.connection();
  const { retry } = limitsOf(connection.options, options);
  const delayMilliseconds = delayAfter(attempt, error, retry, connection.random());
  if (error instanceof Error) retry.onRetry?.({ operation: operation.id, attempt, delayMilliseconds, error });
  await connection.time.wait(delayMilliseconds, options.signal);
}
