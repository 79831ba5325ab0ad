import { RawConnection } from './raw-connection.ts';
import { requestText } from './request-text.ts';

interface SlowClientOptions {
  readonly port: number;
  /** The certificate authority of the service, if it speaks TLS. */
  readonly ca?: string | undefined;
  /** Header with a valid credential. */
  readonly credential: string;
  /** Time between two bytes. */
  readonly paceMilliseconds: number;
}

type Behave = (connection: RawConnection, options: SlowClientOptions) => void;

/** Ways to hold a connection for as long as the service allows. */
const behaviours = {
  'sends nothing': () => undefined,
  'stops in the middle of its headers': (connection) => {
    connection.send('GET /healthz HTTP/1.1\r\nHost: mus');
  },
  'sends its headers byte by byte': (connection, { paceMilliseconds }) => {
    const head = `GET /healthz HTTP/1.1\r\nHost: muster\r\nCookie: ${'x'.repeat(10_000)}`;
    drip(connection, Buffer.from(head), paceMilliseconds);
  },
  'stops in the middle of its body': (connection, { credential }) => {
    connection.send(longReport('{"error":"half', [credential]));
  },
  'sends its body byte by byte': (connection, { credential, paceMilliseconds }) => {
    connection.send(longReport('', [credential]));
    drip(connection, Buffer.from('x'.repeat(10_000)), paceMilliseconds);
  },
  'sends its chunks byte by byte': (connection, { credential, paceMilliseconds }) => {
    connection.send(longReport('', [credential], 'Transfer-Encoding: chunked'));
    drip(connection, Buffer.from('1\r\nx\r\n'.repeat(2_000)), paceMilliseconds);
  },
  'sends byte by byte a body that was refused': (connection, { paceMilliseconds }) => {
    connection.send(longReport('', []));
    drip(connection, Buffer.from('x'.repeat(10_000)), paceMilliseconds);
  },
  'stops in the middle of its second request': (connection) => {
    connection.send(Buffer.concat([requestText({}), Buffer.from('GET /heal')]));
  },
  'never reads its answers': (connection) => {
    connection.stopReading();
    connection.send(manyAnswers());
  },
} as const satisfies Record<string, Behave>;

export type SlowKind = keyof typeof behaviours;

export const slowKinds = Object.keys(behaviours) as readonly SlowKind[]; // keys of a literal object

export async function openSlowClient(kind: SlowKind, options: SlowClientOptions): Promise<RawConnection> {
  const connection = await RawConnection.open(options.port, options.ca);
  behaviours[kind](connection, options);
  return connection;
}

/** Requests whose answers exceed the buffers of the system. */
export function manyAnswers(count = 30): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => requestText({ target: '/openapi.json' })));
}

/** The start of a report whose announced body is longer. */
function longReport(start: string, headers: readonly string[], length = 'Content-Length: 50000'): Buffer {
  return requestText({
    method: 'POST',
    target: '/v1/machines/slow/errors',
    headers: ['Content-Type: application/json', ...headers],
    length,
    body: start,
  });
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
