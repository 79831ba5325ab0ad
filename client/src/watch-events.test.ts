import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type Fetch,
  MusterAnswerError,
  MusterConnectionError,
  MusterError,
  type WatchedEvent,
  watchEvents,
} from './index.ts';
import { createPatientClient } from './testing/patient-client.ts';
import {
  foreign,
  hangUp,
  json,
  refuse,
  type ScriptedServer,
  type Step,
  startScriptedServer,
} from './testing/scripted-server.ts';

let server: ScriptedServer | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await server?.close();
  server = undefined;
});

const projectID = '0192f0a0-0000-7000-8000-000000000001';
const url = 'http://127.0.0.1:1';

async function start(...steps: readonly Step[]) {
  server = await startScriptedServer(...steps);
  return { ...createPatientClient({ url: server.url }), received: server.received };
}

/** Sends a text as a stream, and then ends it or closes the connection. */
function streamOf(text: string, ending: 'end' | 'destroy' | 'stay' = 'end'): Step {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text, () => {
      if (ending !== 'stay') response[ending]();
    });
  };
}

const opening = 'retry: 1000\nid: 0\n\n';
const eventOf = (number: number) =>
  `id: ${number}\nevent: agent.deleted\ndata: {"type":"agent.deleted","n":${number}}\n\n`;
const refused = refuse('revoked_credential');

/** A platform whose answer brings these pieces. */
function fetchOf(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Fetch {
  return async (_url, { signal }) => {
    const iterator =
      Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    aborted.catch(() => undefined);
    return {
      status: 200,
      headers: { get: (name: string) => (name === 'content-type' ? 'text/event-stream' : null) },
      text: async () => '',
      body: {
        getReader: () => ({
          async read() {
            const { done, value } = await Promise.race([iterator.next(), aborted]);
            return done ? { done: true } : { done: false, value };
          },
          cancel: async () => undefined,
        }),
      },
    };
  };
}

const once = { retry: { attempts: 1 } };

/** Everything until the stream ends. */
async function readAll(fetch: Fetch): Promise<{ events: WatchedEvent[]; error: unknown }> {
  const { client } = createPatientClient({ url, fetch });
  const events: WatchedEvent[] = [];
  try {
    for await (const event of watchEvents(client, { projectID }, once)) events.push(event);
  } catch (error) {
    return { events, error };
  }
  throw new Error('watchEvents ends only with an error');
}

async function collect(events: AsyncIterable<WatchedEvent>): Promise<{ ids: string[]; error: unknown }> {
  const ids: string[] = [];
  try {
    for await (const { id } of events) ids.push(id);
  } catch (error) {
    return { ids, error };
  }
  throw new Error('watchEvents ends only with an error');
}

describe('watchEvents, what it reads', () => {
  const text = [
    '\uFEFF: the first line of a stream may begin with a byte order mark\r\n',
    'retry: 1000\r\nid: 4\r\n\r\n',
    'id: 5\rdata: {"name":"größer ☃ 🦊"}\r\r',
    ':comment\n:\nevent: agent.deleted\nid:6\ndata:{"name":\ndata: "two lines"}\n\n',
    'unknown: field\ndata\nid: 7\r\ndata: 8\r\n\r\n',
    'id: 9\u0000\ndata: "an id with NUL is ignored"\n\n',
    'id: 10\n\n\n\n',
    'data: "without an id"\n\n',
    'id: 11\ndata: "not whole',
  ].join('');
  const bytes = new TextEncoder().encode(text);
  const expected = [
    { id: '5', data: { name: 'größer ☃ 🦊' } },
    { id: '6', data: { name: 'two lines' } },
    { id: '7', data: 8 },
    { id: '7', data: 'an id with NUL is ignored' },
    { id: '10', data: 'without an id' },
  ];

  it('is the same wherever the stream is split', async () => {
    for (let at = 0; at <= bytes.length; at += 1) {
      const { events, error } = await readAll(fetchOf([bytes.slice(0, at), bytes.slice(at)]));
      expect([at, events]).toEqual([at, expected]);
      expect(error).toMatchObject({ message: 'The stream of events ended.' });
    }
  });

  it('is the same if each byte comes alone, with empty pieces between', async () => {
    const pieces = [...bytes].flatMap((byte) => [Uint8Array.of(), Uint8Array.of(byte)]);
    expect((await readAll(fetchOf(pieces))).events).toEqual(expected);
  });

  it('comes at once, without waiting for what may follow a CR', async () => {
    async function* pieces() {
      yield new TextEncoder().encode('id: 1\rdata: 1\r\r');
      await new Promise(() => undefined);
    }
    const { client } = createPatientClient({ url, fetch: fetchOf(pieces()) });
    const events = watchEvents(client, { projectID }, once);
    expect(await events.next()).toEqual({ done: false, value: { id: '1', data: 1 } });
    await events.return(undefined);
  });

  it.each([
    ['a line without an end', 'data: ', 'x'.repeat(65_536)],
    ['a comment without an end', ':', 'x'.repeat(65_536)],
    ['an event of many lines', '', `data: ${'x'.repeat(1_000)}\n`.repeat(60)],
  ])('is at most a million characters at a time: %s', async (_, begin, endless) => {
    let taken = 0;
    function* pieces() {
      yield new TextEncoder().encode(begin);
      const piece = new TextEncoder().encode(endless);
      for (; taken < 1_000; taken += 1) yield piece;
    }
    const { error } = await readAll(fetchOf(pieces()));
    expect(error).toBeInstanceOf(MusterAnswerError);
    expect(error).toMatchObject({
      message:
        'watchEvents got no stream of events from http://127.0.0.1:1. It sends an event of more than 1048576 characters.',
    });
    expect(taken).toBeLessThan(20);
  });

  it.each([
    ['events that are not JSON', streamOf('id: 1\ndata: hello\n\n'), 'It sends events that are not JSON.'],
    ['JSON', json(200, {}), 'It answered with application/json; charset=utf-8. Check the url.'],
    ['a page', foreign(200, '<title>Sign in</title>'), 'The answer is 200 with text/html: "Sign in".'],
  ])('is from Muster: %s', async (_, step, why) => {
    const { client, received, waits } = await start(step);
    const { ids, error } = await collect(watchEvents(client, { projectID }));
    expect([ids, received.length, waits]).toEqual([[], 1, []]);
    expect(error).toBeInstanceOf(MusterAnswerError);
    expect(String(error)).toContain(why);
  });

  it('needs a platform that reads answers as they arrive', async () => {
    const fetch: Fetch = async (...request) => ({ ...(await fetchOf([])(...request)), body: null });
    const { error } = await readAll(fetch);
    expect(error).toMatchObject({
      name: 'MusterAnswerError',
      message:
        'watchEvents got no stream of events from http://127.0.0.1:1. The fetch of this platform cannot read an answer as it arrives.',
    });
  });
});

describe('watchEvents, when the stream ends', () => {
  it('continues after the last event that came whole', async () => {
    const { client, received } = await start(
      streamOf(`${opening}${eventOf(1)}${eventOf(2)}${eventOf(3).slice(0, -1)}`, 'destroy'),
      streamOf(`retry: 1000\nid: 2\n\n${eventOf(3)}id: 8\n\n`),
      streamOf(`retry: 1000\nid: 8\n\n${eventOf(9)}`),
      refused,
    );
    const { ids, error } = await collect(watchEvents(client, { projectID, types: ['agent.*', 'token.*'] }));
    expect(ids).toEqual(['1', '2', '3', '9']);
    expect(received.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2', '8', '9']);
    expect(new Set(received.map((one) => one.url))).toEqual(
      new Set([`/v1/projects/${projectID}/events?types=agent.*%2Ctoken.*`]),
    );
    expect(error).toBeInstanceOf(MusterError);
    expect(error).toMatchObject({ code: 'revoked_credential' });
  });

  it('waits for an hour at most, whatever a proxy asks for', async () => {
    const { client, waits } = await start(foreign(503, 'away', { 'retry-after': '34000000' }), refused);
    await collect(watchEvents(client, { projectID }));
    expect(waits.map((wait) => Math.floor(wait / 1_000))).toEqual([3_600]);
  });

  it('tells whenever it is open', async () => {
    const opened: number[] = [];
    const { client, received } = await start(
      streamOf(opening),
      foreign(502, 'away'),
      streamOf(`${opening}${eventOf(1)}`),
      refused,
    );
    await collect(watchEvents(client, { projectID, onOpen: () => opened.push(received.length) }));
    expect([opened, received.length]).toEqual([[1, 3], 4]);
  });

  it('begins after the event that the caller names', async () => {
    const { client, received } = await start(refused);
    await collect(watchEvents(client, { projectID, lastEventID: '17' }));
    expect(received[0]?.headers).toMatchObject({
      'last-event-id': '17',
      accept: 'text/event-stream, application/problem+json',
    });
  });

  it('waits longer after each failure, at most 10 s, and begins anew after an event', async () => {
    const { client, waits } = await start(
      ...Array<Step>(7).fill(hangUp),
      foreign(502, ''),
      streamOf(`${opening}${eventOf(1)}`),
      hangUp,
      refused,
    );
    expect((await collect(watchEvents(client, { projectID }))).ids).toEqual(['1']);
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 250, 500]);
  });

  it('waits longer each time if a stream ends before anything comes', async () => {
    const { client, waits } = await start(
      streamOf(opening),
      streamOf(opening),
      streamOf(opening),
      streamOf(`${opening}: still here\nid: 0\n\n`),
      refused,
    );
    await collect(watchEvents(client, { projectID }));
    expect(waits).toEqual([250, 500, 1_000, 250]);
  });

  it('waits as long as the service asks for', async () => {
    const { client, waits } = await start(
      refuse('too_many_event_listeners', { 'retry-after': '30' }),
      refuse('overloaded', { 'retry-after': '30' }),
      refused,
    );
    await collect(watchEvents(client, { projectID }));
    expect(waits).toEqual([30_250, 30_500]);
  });

  it('gives up after as many failures in a row as the caller says', async () => {
    const { client, received } = await start(hangUp, streamOf(`${opening}${eventOf(1)}`), hangUp);
    const { ids, error } = await collect(watchEvents(client, { projectID }, { retry: { attempts: 3 } }));
    expect([ids, received.length]).toEqual([['1'], 4]);
    expect(error).toBeInstanceOf(MusterConnectionError);
  });

  it.each(['invalid_credential', 'permission_denied', 'not_found', 'invalid_last_event_id'] as const)(
    'does not ask again after a refusal: %s',
    async (code) => {
      const { client, received, waits } = await start(refuse(code));
      expect(await collect(watchEvents(client, { projectID }))).toMatchObject({ ids: [], error: { code } });
      expect([received.length, waits]).toEqual([1, []]);
    },
  );

  it('ends with the reason of the signal, during a stream and during a wait', async () => {
    const { client } = await start(streamOf(`${opening}${eventOf(1)}`, 'stay'));
    const controller = new AbortController();
    const ids: string[] = [];
    const watching = async () => {
      for await (const { id } of watchEvents(client, { projectID }, { signal: controller.signal })) {
        ids.push(id);
        controller.abort(new Error('enough'));
      }
    };
    await expect(watching()).rejects.toThrow('enough');
    expect(ids).toEqual(['1']);
    const second = new AbortController();
    const onRetry = () => second.abort(new Error('no longer'));
    const failing = await start(hangUp);
    await expect(
      collect(watchEvents(failing.client, { projectID }, { signal: second.signal, retry: { onRetry } })),
    ).resolves.toMatchObject({ error: { message: 'no longer' } });
  });

  it('closes the connection when the caller leaves the loop', async () => {
    const closed = new Promise<void>((resolve) => {
      void start((response) => {
        response.once('close', resolve);
        streamOf(`${opening}${eventOf(1)}`, 'stay')(response);
      }).then(async ({ client }) => {
        for await (const { id } of watchEvents(client, { projectID })) if (id === '1') break;
      });
    });
    await closed;
  });
});

describe('watchEvents, silence', () => {
  it('connects again after 45 s without a byte, but not because the caller takes its time', async () => {
    vi.useFakeTimers();
    const encoder = new TextEncoder();
    let opened = 0;
    async function* pieces() {
      opened += 1;
      if (opened > 1) return;
      yield encoder.encode(`${opening}${eventOf(1)}`);
      yield encoder.encode(eventOf(2));
      await new Promise(() => undefined);
    }
    const fetch: Fetch = (...request) => fetchOf(pieces())(...request);
    const { client } = createPatientClient({ url, fetch });
    const failures: string[] = [];
    const onRetry = ({ error }: { error: Error }) => failures.push(error.message);
    const events = watchEvents(client, { projectID }, { retry: { attempts: 2, onRetry } });
    expect((await events.next()).value).toMatchObject({ id: '1' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await events.next()).value).toMatchObject({ id: '2' });
    const next = events.next().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(44_999);
    expect(failures).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await next).toMatchObject({ message: 'The stream of events ended.' });
    expect(failures).toEqual(['watchEvents heard nothing from http://127.0.0.1:1 for 45000 ms.']);
  });
});
