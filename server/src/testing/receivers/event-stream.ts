import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../eventually.ts';
import type { Credentials, TestApp } from '../start-test-app.ts';

export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An open stream of events, over a real connection. */
export interface EventStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Events so far, each as one block of the text. */
  readonly events: readonly ReceivedEvent[];
  /** Everything so far, as it was sent. */
  readonly text: () => string;
  /** Waits until this many events have arrived, and returns them without their times. */
  take(count: number): Promise<readonly ReceivedEvent[]>;
  readonly ended: Promise<void>;
  /** Reads no more, while the connection stays open. */
  pause(): void;
  close(): void;
}

interface StreamOptions {
  readonly as: Credentials;
  readonly lastEventID?: string | undefined;
  readonly query?: string;
}

export async function listen(app: TestApp): Promise<void> {
  await app.app.http.listen({ port: 0, host: '127.0.0.1' });
}

/** @param app that listens */
export function openEventStream(
  app: TestApp,
  projectID: string,
  options: StreamOptions,
): Promise<EventStream> {
  const { as, lastEventID, query = '' } = options;
  const { port } = app.app.http.server.address() as AddressInfo; // it listens on a port
  return new Promise((resolve, reject) => {
    const sent = request({
      port,
      host: '127.0.0.1',
      path: `/v1/projects/${projectID}/events${query}`,
      headers: {
        ...(as.access === undefined ? {} : { authorization: `Bearer ${as.access}` }),
        ...(as.project === undefined ? {} : { 'x-project-token': as.project }),
        ...(lastEventID === undefined ? {} : { 'last-event-id': lastEventID }),
      },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      const ended = new Promise<void>((end) => {
        response.on('close', end);
        response.on('error', () => undefined);
      });
      const stream: EventStream = {
        status: response.statusCode ?? 0,
        headers: response.headers,
        get events() {
          return parseEvents(text);
        },
        text: () => text,
        take: (count) =>
          eventually(() => {
            const events = parseEvents(text);
            if (events.length < count) throw new Error(`${events.length} of ${count} events so far: ${text}`);
            return events;
          }),
        ended,
        pause: () => {
          response.pause();
          response.socket.pause();
        },
        close: () => sent.destroy(),
      };
      resolve(stream);
    });
    sent.end();
  });
}

/** Reads the format of WHATWG HTML section 9.2.6 strictly: a block with an id, a type and one line of data is an event. */
export function parseEvents(text: string): ReceivedEvent[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .flatMap((block) => {
      const [id, type, data, ...others] = block.split('\n');
      if (data === undefined) return [];
      if (others.length > 0 || !type?.startsWith('event: ')) throw new Error(`not an event: ${block}`);
      const {
        at,
        type: typeInData,
        ...rest
      } = JSON.parse(data.replace('data: ', '')) as Record<string, unknown>;
      if (typeof at !== 'string' || `event: ${String(typeInData)}` !== type) throw new Error(block);
      return [{ id: (id ?? '').replace('id: ', ''), type: type.replace('event: ', ''), data: rest }];
    });
}
