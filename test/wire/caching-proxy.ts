import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface StoredAnswer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** A cache in front of a service, as operators use Varnish or nginx. */
export interface CachingProxy {
  readonly url: string;
  /** Paths and queries of the stored answers. */
  readonly held: () => readonly string[];
  close(): Promise<void>;
}

/**
 * A shared cache as RFC 9111 permits: it stores whatever section 3 does not forbid, for a time of its own choice if none
 * is given (section 4.2.2; here: for ever), and looks it up by its URL (section 4).
 */
export async function startCachingProxy(originPort: number): Promise<CachingProxy> {
  const stored = new Map<string, StoredAnswer>();
  const server = createServer((incoming, outgoing) => {
    const known = incoming.method === 'GET' ? stored.get(incoming.url ?? '') : undefined;
    if (known !== undefined) {
      send(outgoing, known);
      return;
    }
    forward(incoming, originPort, (answer, headers) => {
      if (mayStore(incoming, answer.status, headers)) stored.set(incoming.url ?? '', answer);
      send(outgoing, answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    held: () => [...stored.keys()],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** RFC 9111 section 3, and section 3.5 for requests with Authorization; other headers do not count as credentials. */
function mayStore({ method, headers }: IncomingMessage, status: number, answer: IncomingMessage['headers']) {
  const directives = (answer['cache-control'] ?? '').split(',').map((one) => one.trim());
  const isForbidden = ['no-store', 'private', 'no-cache'].some((one) => directives.includes(one));
  return (
    method === 'GET' &&
    status === 200 &&
    headers.authorization === undefined &&
    answer.vary === undefined &&
    !isForbidden
  );
}

function forward(
  incoming: IncomingMessage,
  port: number,
  onAnswer: (answer: StoredAnswer, headers: IncomingMessage['headers']) => void,
): void {
  const { method, url, headers } = incoming;
  const outgoing = request(
    { host: '127.0.0.1', port, method, path: url, headers, agent: false },
    (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const whole = {
          status: answer.statusCode ?? 0,
          headers: answer.rawHeaders,
          body: Buffer.concat(chunks),
        };
        onAnswer(whole, answer.headers);
      });
    },
  );
  incoming.pipe(outgoing);
}

function send(outgoing: ServerResponse, { status, headers, body }: StoredAnswer): void {
  outgoing.writeHead(status, [...headers]);
  outgoing.end(body);
}
