import { constants } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { ProblemCode } from '@muster/contract';
import { type HttpLimits, headerLimitBytes } from './http-limits.ts';

/** A certificate and its key in PEM format. */
interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** The pair of a server, which can be replaced while it runs. */
export interface ServerKeyPair {
  readonly current: KeyPair;
  /** In PEM: clients must have a certificate of one of these authorities. Absent: clients need none. */
  readonly clientAuthorities?: string | undefined;
  watch(onChange: (pair: KeyPair) => void): void;
  close(): void;
}

interface HttpServerOptions {
  readonly handler: RequestListener;
  readonly limits: HttpLimits;
  readonly refuse: (socket: Duplex, code: ProblemCode, detail: string) => void;
  /** Absent: plain HTTP. */
  readonly tls: ServerKeyPair | undefined;
}

/** Node's server, with limits against slow clients, and with an answer of ours to everything. */
export function createHttpServer({ handler, limits, refuse, tls }: HttpServerOptions): Server {
  const options = {
    maxHeaderSize: headerLimitBytes,
    headersTimeout: limits.slowClientMilliseconds,
    requestTimeout: limits.slowClientMilliseconds,
    connectionsCheckingInterval: limits.checkMilliseconds,
    keepAliveTimeout: limits.keepAliveMilliseconds,
    // The app checks this, because Node would refuse without a body.
    requireHostHeader: false,
  };
  const server =
    tls === undefined ? createServer(options, handler) : createSecureServer(options, handler, limits, tls);
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

function createSecureServer(
  options: object,
  handler: RequestListener,
  limits: HttpLimits,
  tls: ServerKeyPair,
): Server {
  const server = createTlsServer(
    {
      ...options,
      ...secureOptions(tls.current),
      ...(tls.clientAuthorities === undefined
        ? {}
        : { ca: tls.clientAuthorities, requestCert: true, rejectUnauthorized: true }),
      handshakeTimeout: limits.slowClientMilliseconds,
      // As plain HTTP does: a client that has closed its sending half still waits for the answer.
      allowHalfOpen: true,
    },
    handler,
  );
  // Open connections keep their certificate.
  const { clientAuthorities: ca } = tls;
  tls.watch((pair) =>
    server.setSecureContext({ ...secureOptions(pair), ...(ca === undefined ? {} : { ca }) }),
  );
  server.once('close', () => tls.close());
  return server;
}

function secureOptions({ cert, key }: KeyPair) {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
    // A client could make the service do the expensive half of a handshake again and again.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  } as const;
}
