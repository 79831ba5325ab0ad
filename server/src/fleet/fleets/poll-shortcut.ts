import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FleetConfigFormat, routes } from '@muster/contract';
import { rawAnswerHeaders } from '@muster/http/answers/answer-headers';
import type { OpenConnections } from '@muster/http/connections/open-connections';
import { mediaTypeOf } from '@muster/http/fleets/config-media-type';
import { hasOneHost } from '@muster/http/requests/host-header';
import type { Admitter, Caller } from '../../foundation/http/authentication/admitter.ts';
import type { ReadAddress } from '../../foundation/http/authentication/create-read-address.ts';
import type { RequestShortcut } from '../../foundation/http/connections/read-ahead.ts';
import { routerPath } from '../../foundation/http/mount-route.ts';
import type { Telemetry } from '../../foundation/http/telemetry/telemetry.ts';
import type { Answered, ConfigPoll } from './config-poll.ts';

interface PollShortcutOptions {
  readonly admitter: Admitter;
  readonly poll: ConfigPoll;
  readonly originOf: (headers: IncomingMessage['headers']) => string;
  readonly requestIDOf: (headers: IncomingMessage['headers']) => string;
  readonly readAddress: ReadAddress;
  /** While false, every request goes through the framework. */
  readonly isOpen: () => boolean;
  readonly connections: Pick<OpenConnections, 'noteRequest'>;
  /** Returns the function that records the duration of an answer of a route. */
  readonly observerOf: (method: string, path: string, status: number) => (milliseconds: number) => void;
  /** Absent: nothing is traced. */
  readonly telemetry: Telemetry | undefined;
  /** True: other processes change what is remembered, so that it is confirmed for each request. */
  readonly isShared: boolean;
  /** The shortcut of all other requests. */
  readonly forReports: RequestShortcut;
}

/** The route in the spelling of agents. Every other spelling goes through the framework. */
const pollTarget =
  /^\/v1\/fleets\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\/config\?format=(ini|yaml)&config_format=(ini|yaml)$/;

const route = routes.getFleetConfig;

/**
 * Answers agents that ask for their configuration before the framework, which costs more than the rest of the answer: each agent asks every 15 seconds.
 * What is not remembered, and what is refused, goes through the framework.
 */
export function createPollShortcut(options: PollShortcutOptions): RequestShortcut {
  const { admitter, poll, connections, isShared, telemetry } = options;
  const observe = options.observerOf('GET', route.path, 200);

  return (request, response, passOn) => {
    const target = request.method === 'GET' && options.isOpen() ? readTarget(request) : undefined;
    if (target === undefined) {
      options.forReports(request, response, passOn);
      return;
    }
    const startedAt = performance.now();
    const caller = admitter.recall(route.credentials, request.headers);
    if (caller === undefined) {
      passOn();
      return;
    }
    const answerFor = (principal: Caller['principal']): Answered | undefined => {
      const { id, format } = target;
      const said = request.headers['fleet-config-version']?.toString();
      return poll.recall(principal, { id, said }, { format, origin: options.originOf(request.headers) });
    };
    const pass = (): void => {
      // The framework counts it too.
      if (caller.principal.kind === 'project') caller.principal.use?.countOnce();
      passOn();
    };
    const send = (answered: Answered | undefined): void => {
      if (answered === undefined) {
        pass();
        return;
      }
      answer(response, options.requestIDOf(request.headers), target.format, answered);
      const milliseconds = performance.now() - startedAt;
      observe(milliseconds);
      const { headers } = request;
      if (telemetry?.isTraced(headers))
        telemetry.noteAnswer({
          headers,
          method: 'GET',
          route: routerPath(route.path),
          status: 200,
          milliseconds,
        });
    };
    const readAddress = () => options.readAddress(request);
    let answered: Answered | undefined;
    try {
      const admission = admitter.admit(route, request.headers, caller, readAddress);
      connections.noteRequest(request, response);
      if (isShared) {
        admission
          .renew()
          .then(({ principal }) => answerFor(principal))
          .then(send, pass);
        return;
      }
      answered = answerFor(admission.principal);
    } catch {
      // The framework finds the same, and says it.
    }
    send(answered);
  };
}

interface Target {
  readonly id: string;
  readonly format: FleetConfigFormat;
}

function readTarget({ url = '', headers, httpVersion, rawHeaders }: IncomingMessage): Target | undefined {
  const found = pollTarget.exec(url);
  if (found === null || httpVersion !== '1.1' || headers.authorization !== undefined) return undefined;
  if (headers.cookie !== undefined || !hasOneHost(rawHeaders)) return undefined;
  const hasBody =
    headers['transfer-encoding'] !== undefined || !['0', undefined].includes(headers['content-length']);
  const [, id = '', , wanted] = found;
  return hasBody ? undefined : { id, format: wanted === 'yaml' ? 'yaml' : 'classic' };
}

function answer(
  response: ServerResponse,
  requestID: string,
  format: FleetConfigFormat,
  { parts, lastModified }: Answered,
): void {
  response.writeHead(200, [
    ...rawAnswerHeaders,
    'X-Request-Id',
    requestID,
    'Content-Type',
    mediaTypeOf(format),
    'Last-Modified',
    lastModified,
    'Content-Length',
    String(parts.reduce((sum, { length }) => sum + length, 0)),
  ]);
  for (const part of parts.slice(0, -1)) response.write(part, 'latin1');
  response.end(parts.at(-1), 'latin1');
}
