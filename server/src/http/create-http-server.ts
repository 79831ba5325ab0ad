import { createServer, type RequestListener, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ProblemCode } from '@muster/contract';
import { type HttpLimits, headerLimitBytes } from './http-limits.ts';

/** Node's server, with limits against slow clients, and with an answer of ours to everything. */
export function createHttpServer(
  handler: RequestListener,
  limits: HttpLimits,
  refuse: (socket: Duplex, code: ProblemCode, detail: string) => void,
): Server {
  const server = createServer(
    {
      maxHeaderSize: headerLimitBytes,
      headersTimeout: limits.slowClientMilliseconds,
      requestTimeout: limits.slowClientMilliseconds,
      connectionsCheckingInterval: limits.checkMilliseconds,
      keepAliveTimeout: limits.keepAliveMilliseconds,
      // The app checks this, because Node would refuse without a body.
      requireHostHeader: false,
    },
    handler,
  );
  // A client that has closed its sending half (shutdown(2), `nc -N`) still waits for the answer. Node would drop it.
  Object.assign(server, { httpAllowHalfOpen: true }); // not in the types
  // Node would answer 417 without a body; RFC 9110 section 10.1.1 lets a server ignore unknown expectations.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket) => {
    // Node has handed the socket over and no longer handles its errors: a reset would end the process.
    socket.on('error', () => socket.destroy());
    refuse(socket, 'bad_request', 'This server is not a proxy and does not accept CONNECT.');
    socket.once('finish', () => socket.destroy());
  });
  return server;
}
