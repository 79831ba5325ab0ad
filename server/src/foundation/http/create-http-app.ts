import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { bodyLimitBytes, type ProblemCode, problems } from '@muster/contract';
import { answerHeaders } from '@muster/http/answers/answer-headers';
import { answerBrokenRequest, codeOfBrokenRequest } from '@muster/http/connections/broken-requests';
import { createHttpServer } from '@muster/http/connections/create-http-server';
import { defaultHttpLimits, type HttpLimits } from '@muster/http/connections/http-limits';
import { OpenConnections } from '@muster/http/connections/open-connections';
import { transportOf } from '@muster/http/connections/transport-of';
import { hasOneHost } from '@muster/http/requests/host-header';
import { parseJson } from '@muster/http/requests/parse-json';
import { requestIDOf } from '@muster/http/requests/request-id';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { Refusal } from '../refusal.ts';
import { createErrorHandler, type IsDatabaseFailure, routeNotFound } from './answers/reply-with-problem.ts';
import { hasCredential } from './authentication/authenticate.ts';
import { ReadAheads, type RequestShortcut } from './connections/read-ahead.ts';
import type { RefusalLog } from './refusal-log.ts';
import { BodyParsers } from './requests/body-parsers.ts';
import type { SchemaCompilers } from './schema-compilers.ts';
import { SummedWarning } from './summed-warning.ts';
import type { KeyPairFiles } from './tls/key-pair-files.ts';

export interface HttpAppOptions {
  readonly logger: FastifyBaseLogger;
  readonly refusals: RefusalLog;
  readonly trustProxy: boolean | string;
  readonly newRequestID: () => string;
  readonly isDatabaseFailure: IsDatabaseFailure;
  /** True while the service stops: each answer then closes its connection, so that the next request goes to another replica. */
  readonly isStopping: () => boolean;
  readonly buildSerializer?: SchemaCompilers['buildSerializer'];
  readonly limits?: HttpLimits | undefined;
  /** Absent: plain HTTP. */
  readonly tls?: KeyPairFiles | undefined;
  /** Called for each connection whose TLS handshake fails. */
  readonly onFailedHandshake?: () => void;
  /** Called once with a function that returns the number of open connections. */
  readonly observeConnections?: (count: () => number) => void;
  /** Creates the shortcut, which answers some requests before the framework. It needs the connections for the drain. */
  readonly createShortcut?: (connections: OpenConnections) => RequestShortcut;
}

/** How long a broken connection stays open to receive the rest of what its client sends. */
const lingerMilliseconds = 1_000;
/** A machine id is a path parameter, and each of its characters takes up to twelve bytes in a URL. */
const maxPathParameterLength = 4096;

/** Creates the HTTP app without routes: limits, parsing, request ids and the form of every refusal. */
export function createHttpApp(options: HttpAppOptions): FastifyInstance {
  const { limits = defaultHttpLimits, newRequestID, buildSerializer } = options;
  const fullWarning = new SummedWarning(
    options.logger,
    'connections were refused: this process has reached its maximum number of connections; start more replicas',
  );
  const handshakeWarning = new SummedWarning(
    options.logger,
    'TLS handshakes failed: clients do not accept the certificate, do not speak TLS 1.2 or newer, or speak plain HTTP; code is that of one of them',
  );
  const connections = new OpenConnections(limits, () => fullWarning.note());
  options.observeConnections?.(() => connections.count);
  const shortcut = options.createShortcut?.(connections);
  const readAheads = new ReadAheads();
  const app = fastify({
    serverFactory(handler) {
      const listener = shortcut === undefined ? handler : readAheads.before(handler, shortcut);
      const admit: typeof listener = (request, response) => {
        if (connections.admits(request)) listener(request, response);
      };
      const server = createHttpServer({ handler: admit, limits, refuse: refuseBroken, tls: options.tls });
      connections.watch(server);
      return server;
    },
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy,
    bodyLimit: bodyLimitBytes,
    rewriteUrl: ({ url = '/' }) => withPresentNames(url),
    genReqId: ({ headers }) => requestIDOf(headers, newRequestID),
    // Each part of a start and a stop has its own limits. The framework's would make one fail on a busy machine.
    pluginTimeout: 0,
    // The drain answers instead, and lets requests under way finish.
    return503OnClosing: false,
    routerOptions: { maxParamLength: maxPathParameterLength },
    schemaController: { compilersFactory: buildSerializer === undefined ? {} : { buildSerializer } },
    frameworkErrors: (error, request, reply) => {
      // The hooks below do not run for these requests.
      reply.headers(answerHeaders).header('X-Request-Id', request.id);
      if (options.isStopping()) reply.header('Connection', 'close');
      answerError(error, request, reply);
      const { method, log, headers } = request;
      options.refusals.note({
        log,
        status: reply.statusCode,
        sender: request,
        hasCredential: hasCredential(headers),
        fields: { method, route: 'none' },
      });
    },
    clientErrorHandler: (error, socket) => endBrokenConnection(error, socket),
  });
  const answerError = createErrorHandler(options.isDatabaseFailure);

  /** Refuses input that never became a request, for which no hook runs. */
  function refuseBroken(socket: Duplex, code: ProblemCode, detail?: string): void {
    const requestID = newRequestID();
    answerBrokenRequest(socket, code, requestID, detail);
    options.refusals.note({
      log: options.logger,
      status: problems[code].status,
      sender: { ip: undefined, socket: socket as Socket }, // the server listens on TCP
      hasCredential: false,
      fields: { reqId: requestID, route: 'none' },
    });
  }

  /** Called if Node's parser refused the input, or if it arrived too slowly. */
  function endBrokenConnection(error: Error & { readonly code?: string }, socket: Socket): void {
    if (!connections.hasTaken(socket)) {
      endFailedHandshake(error, socket);
      return;
    }
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    connections.endBroken(socket, () => {
      refuseBroken(socket, codeOfBrokenRequest(error));
      // Not at once: further input would cause a reset, and the client would lose the answer.
      socket.setTimeout(lingerMilliseconds, () => socket.destroy());
    });
  }

  function endFailedHandshake({ code }: { readonly code?: string }, socket: Socket): void {
    options.onFailedHandshake?.();
    // The client has gone away, as many health checks of the port do.
    if (code !== 'ECONNRESET') handshakeWarning.note({ code });
    const transport = transportOf(socket);
    if (code !== 'ERR_SSL_HTTP_REQUEST' || transport === socket) {
      socket.destroy();
      return;
    }
    // Beside TLS, which the client does not speak.
    refuseBroken(transport, 'bad_request', 'This port accepts only HTTPS: use https:// in the address.');
    transport.setTimeout(lingerMilliseconds, () => transport.destroy());
  }

  app.removeAllContentTypeParsers();
  const bodyParsers = new BodyParsers();
  app.decorate('bodyParsers', bodyParsers);
  bodyParsers.add(app, 'application/json', parseJson);
  app.addHook('onRequest', (request, reply, done) => {
    connections.noteRequest(request.raw, reply.raw);
    reply.headers(answerHeaders).header('X-Request-Id', request.id);
    if (options.isStopping()) reply.header('Connection', 'close');
    // Before the body is read, because no route would use it.
    done(refusalOf(request));
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    done(null, readAheads.bodyOf(request.raw) ?? payload);
  });
  app.addHook('preHandler', (request, _reply, done) => {
    const failure = readAheads.failureOf(request.raw);
    done(failure === undefined ? undefined : (failure as Error)); // thrown by the code that the route would have called
  });
  app.addHook('preClose', () => connections.drain(app.server));
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request) => {
    throw routeNotFound(request);
  });
  return app;
}

/** Faults of a request that are independent of its route. */
function refusalOf(request: FastifyRequest): Refusal | undefined {
  if (request.raw.httpVersion === '1.1' && !hasOneHost(request.raw.rawHeaders)) {
    return new Refusal('bad_request', {
      detail: 'A request must have exactly one Host header (RFC 9112 section 3.2).',
    });
  }
  return request.is404 ? routeNotFound(request) : undefined;
}

const olderPath = /^(\/v1\/(?:projects\/[^/?]+\/)?)aggregators(?=[/?]|$)/;

/** The URL of a request with the present name of what it asks for: core instances were called aggregators. */
function withPresentNames(url: string): string {
  return url.includes('/aggregators') ? url.replace(olderPath, '$1core_instances') : url;
}
