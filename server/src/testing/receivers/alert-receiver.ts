import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ReceivedAlert {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parsed. The test says what it expects. */
  // biome-ignore lint/suspicious/noExplicitAny: whole bodies are compared, whatever their shape
  readonly body: any;
}

/** A real HTTP server that alerts are sent to. */
export interface AlertReceiver {
  /** Without a trailing slash. */
  readonly url: string;
  /** In the order in which they arrived. */
  readonly received: ReceivedAlert[];
  /** How it answers from now on. */
  answer: (response: ServerResponse) => void;
  close(): Promise<void>;
}

export async function startAlertReceiver(): Promise<AlertReceiver> {
  const received: ReceivedAlert[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      received.push({ path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) });
      receiver.answer(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const receiver: AlertReceiver = {
    url: `http://127.0.0.1:${port}`,
    received,
    answer: (response) => response.end('ok'),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

/** Answers every request with this status. */
export function answering(status: number, text = '', headers: Record<string, string> = {}) {
  return (response: ServerResponse): void => {
    response.writeHead(status, headers).end(text);
  };
}
