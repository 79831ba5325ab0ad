import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { problems } from '@muster/contract';
import { refuseCredentialInQuery } from '@muster/http/credentials/presented-credentials';
import { Refusal } from '@muster/http/refusal';
import { hasOneHost } from '@muster/http/requests/host-header';
import { requestIDOf } from '@muster/http/requests/request-id';
import type { FleetAnswers } from '../fleets/fleet-answers.ts';
import type { Verdicts } from '../verdicts/verdicts.ts';
import { createAgentCalls } from './agent-calls.ts';
import { type Answer, sendAnswer, sendRefusal, toRefusal } from './answers.ts';
import type { Intake } from './intake.ts';
import { BodyReader } from './read-body.ts';
import type { SiteMetrics } from './site-metrics.ts';
import { matchRoute, pathOf, type RouteMatch, type SiteRoute, splitQuery } from './site-route.ts';

export interface SiteHandlerOptions {
  readonly verdicts: Pick<Verdicts, 'judge'>;
  readonly intake: Intake;
  readonly fleets: FleetAnswers;
  /** True if agents reach this core instance with TLS. */
  readonly isEncrypted: boolean;
  readonly metrics: SiteMetrics;
  readonly version: string;
  /** Of the centre. */
  readonly url: string;
  readonly newRequestID: () => string;
  /** False until the core instance knows the credentials of its project. */
  readonly isReady: () => boolean;
  /** True when the centre takes nothing more. */
  readonly isDeleted: () => boolean;
  readonly isStopping: () => boolean;
  /** Called for failures that are no refusals. */
  readonly onFailure: (error: unknown, requestID: string) => void;
}

const isOfCoreInstances = /^\/v1\/(?:core_instances|aggregators)(?:\/|$)/;

/** Answers the requests of agents, as the centre would. */
export function createSiteHandler(options: SiteHandlerOptions): RequestListener {
  const { verdicts, metrics, newRequestID, isStopping, onFailure } = options;
  const calls = createAgentCalls();
  const bodies = new BodyReader();

  return (request, response) => {
    const requestID = requestIDOf(request.headers, newRequestID);
    const startedAt = performance.now();
    let route: SiteRoute | undefined;
    const refuse = (error: unknown): void => {
      // The client has hung up.
      if (response.destroyed || response.headersSent) return;
      const refusal = toRefusal(error);
      if (refusal.code === 'internal_error') onFailure(refusal.cause ?? error, requestID);
      sendRefusal(response, requestID, refusal, route?.route, isStopping());
      metrics.noteAnswer(
        route?.operation ?? 'none',
        problems[refusal.code].status,
        performance.now() - startedAt,
      );
    };
    try {
      const match = begin(request, response, requestID);
      if (match === undefined) return;
      route = match.route;
      handle(request, requestID, match).then((answer) => {
        sendAnswer(response, requestID, answer, isStopping());
        metrics.noteAnswer(match.route.operation, answer.status, performance.now() - startedAt);
      }, refuse);
    } catch (error) {
      refuse(error);
    }
  };

  /** Undefined if the request is answered already. */
  function begin(
    request: IncomingMessage,
    response: ServerResponse,
    requestID: string,
  ): RouteMatch | undefined {
    const { method = 'GET', url = '/' } = request;
    if (request.httpVersion === '1.1' && !hasOneHost(request.rawHeaders)) {
      throw new Refusal('bad_request', {
        detail: 'A request must have exactly one Host header (RFC 9112 section 3.2).',
      });
    }
    const own = method === 'GET' || method === 'HEAD' ? ownAnswer(pathOf(url)) : undefined;
    if (own !== undefined) {
      sendAnswer(response, requestID, own, isStopping());
      return undefined;
    }
    if (isOfCoreInstances.test(pathOf(url))) {
      throw new Refusal('bad_request', {
        detail: `This is a core instance itself, and a core instance cannot be behind another one: --url must name Muster, such as ${options.url}`,
      });
    }
    const match = matchRoute(method, url);
    if (match !== undefined) {
      requireNotDeleted();
      return match;
    }
    throw new Refusal('route_not_found', {
      detail: `This is a core instance of Muster, which takes only what agents send: there is no ${method} ${pathOf(url).slice(0, 500)} here. Ask Muster itself: ${options.url}`,
    });
  }

  /** What was accepted now would never arrive. Agents that keep what they report may reach another core instance later. */
  function requireNotDeleted(): void {
    if (!options.isDeleted()) return;
    throw new Refusal('overloaded', {
      detail: `This core instance was deleted in ${options.url}, which takes nothing from it. Let the agent report to Muster itself or to another core instance.`,
      retryAfterSeconds: 60,
    });
  }

  function ownAnswer(path: string): Answer | undefined {
    switch (path) {
      case '/healthz':
        return { status: 200, json: JSON.stringify({ status: 'ok', version: options.version }) };
      case '/readyz':
        if (isStopping()) throw new Refusal('shutting_down');
        requireNotDeleted();
        if (options.isReady()) return { status: 200, json: JSON.stringify({ status: 'ready' }) };
        throw new Refusal('overloaded', {
          detail: `This core instance has not joined ${options.url} yet, and cannot judge the tokens of agents. Its log says why.`,
          retryAfterSeconds: 5,
        });
      case '/metrics':
        return { status: 200, text: metrics.write() };
      default:
        return undefined;
    }
  }

  async function handle(
    request: IncomingMessage,
    requestID: string,
    { route, params: given }: RouteMatch,
  ): Promise<Answer> {
    const { headers, url = '' } = request;
    const givenQuery = splitQuery(url);
    refuseCredentialInQuery(givenQuery);
    const judged = verdicts.judge(route.route, headers, request.socket.remoteAddress);
    const sender = judged instanceof Promise ? await judged : judged;
    const { body, release } = await bodies.read(request, {
      limitBytes: route.route.body?.limitBytes ?? 0,
      takesGzip: route.route.body?.otherForms !== undefined,
    });
    try {
      const params = route.parseParams(given);
      const query = route.parseQuery(givenQuery);
      return await calls[route.operation]({ requestID, headers, sender, params, query, body }, options);
    } finally {
      release();
    }
  }
}
