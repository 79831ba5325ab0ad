import { RawConnection } from './raw-connection.ts';
import { requestText } from './request-text.ts';

/** Ways to hold a connection for as long as the service lets one. */
export const slowKinds = {
  'sends nothing': () => undefined,
  'stops in the middle of its headers': (connection) => {
    connection.send('GET /healthz HTTP/1.1\r\nHost: mus');
  },
  'sends its headers byte by byte': (connection, pace) => {
    drip(connection, Buffer.from(`GET /healthz HTTP/1.1\r\nHost: muster\r\nCookie: ${'x'.repeat(10_000)}`), pace);
  },
  'stops in the middle of its body': (connection) => {
    connection.send(body('{"error":"half'));
  },
  'sends its body byte by byte': (connection, pace) => {
    connection.send(body(''));
    drip(connection, Buffer.from('x'.repeat(10_000)), pace);
  },
  'sends its chunks byte by byte': (connection, pace) => {
    connection.send(requestText({ method: 'POST', target: '/v1/agents', length: 'Transfer-Encoding: chunked' }));
    drip(connection, Buffer.from('1\r\nx\r\n'.repeat(2_000)), pace);
  },
  'stops in the middle of its second request': (connection) => {
    connection.send(Buffer.concat([requestText({}), Buffer.from('GET /heal')]));
  },
  'never reads its answers': (connection) => {
    connection.stopReading();
    connection.send(Buffer.concat(Array.from({ length: 400 }, () => requestText({ target: '/openapi.json' }))));
  },
} as const satisfies Record<string, (connection: RawConnection, paceMilliseconds: number) => void>;

export type SlowKind = keyof typeof slowKinds;

/** A connection that is held by a slow client, and when it ended. */
export interface SlowClient {
  readonly kind: SlowKind;
  readonly connection: RawConnection;
}

export async function openSlowClient(port: number, kind: SlowKind, paceMilliseconds: number): Promise<SlowClient> {
  const connection = await RawConnection.open(port);
  slowKinds[kind](connection, paceMilliseconds);
  return { kind, connection };
}

/** A body of which more is said to come. */
function body(start: string): Buffer {
  return requestText({ method: 'POST', target: '/v1/agents', length: 'Content-Length: 50000', body: start });
}

function drip(connection: RawConnection, bytes: Buffer, paceMilliseconds: number): void {
  let position = 0;
  const timer = setInterval(() => {
    if (connection.isClosed || position === bytes.length) {
      clearInterval(timer);
      return;
    }
    connection.send(bytes.subarray(position, position + 1));
    position += 1;
  }, paceMilliseconds);
}
