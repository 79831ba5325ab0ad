import type { RequestListener, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { answerBrokenRequest, codeOfBrokenRequest } from '@muster/http/connections/broken-requests';
import { createHttpServer, type ServerKeyPair } from '@muster/http/connections/create-http-server';
import { defaultHttpLimits, type HttpLimits } from '@muster/http/connections/http-limits';
import { OpenConnections } from '@muster/http/connections/open-connections';

interface SiteServerOptions {
  readonly handler: RequestListener;
  readonly newRequestID: () => string;
  readonly limits?: HttpLimits;
  readonly tls?: ServerKeyPair | undefined;
  /** Called for each connection that is not taken, since there are too many. */
  readonly onFull: () => void;
}

/** How long a broken connection stays open to receive the rest of what its client sends. */
const lingerMilliseconds = 1_000;

/** The port on which agents reach a core instance. */
export class SiteServer {
  readonly #server: Server;
  readonly #connections: OpenConnections;

  constructor({ handler, newRequestID, limits = defaultHttpLimits, tls, onFull }: SiteServerOptions) {
    const connections = new OpenConnections(limits, onFull);
    const server = createHttpServer({
      handler: (request, response) => {
        if (!connections.admits(request)) return;
        connections.noteRequest(request, response);
        handler(request, response);
      },
      limits,
      refuse: (socket, code, detail) => answerBrokenRequest(socket, code, newRequestID(), detail),
      tls,
    });
    connections.watch(server);
    server.on('clientError', (error: Error & { readonly code?: string }, socket: Socket) => {
      if (!connections.hasTaken(socket) || error.code === 'ECONNRESET' || !socket.writable) {
        socket.destroy();
        return;
      }
      connections.endBroken(socket, () => {
        answerBrokenRequest(socket, codeOfBrokenRequest(error), newRequestID());
        // Not at once: further input would cause a reset, and the client would lose the answer.
        socket.setTimeout(lingerMilliseconds, () => socket.destroy());
      });
    });
    this.#server = server;
    this.#connections = connections;
  }

  get connectionsCount(): number {
    return this.#connections.count;
  }

  /** Resolves with the port. @throws the error of the system, such as EADDRINUSE */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port, backlog: 4_096 }, () => {
        this.#server.off('error', reject);
        resolve((this.#server.address() as AddressInfo).port); // it listens on TCP
      });
    });
  }

  /** Answers what has arrived, and closes. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    await this.#connections.drain(this.#server);
    await closed;
  }
}
