import type { Readable } from 'node:stream';
import {
  type AnswerOf,
  type BodyOf,
  type ParamsOf,
  problems,
  type QueryOf,
  type Route,
} from '@muster/contract';
import { challengeOf } from '@muster/http/answers/challenge-of';
import { takeBasicCredential } from '@muster/http/credentials/basic-credential';
import { refuseCredentialInQuery } from '@muster/http/credentials/presented-credentials';
import { parseJson } from '@muster/http/requests/parse-json';
import { compileParamsParser } from '@muster/http/requests/parse-params';
import { compileQueryParser, refuseUndecodableQuery } from '@muster/http/requests/parse-query';
import { unsupportedMediaType } from '@muster/http/requests/unsupported-media-type';
import type { BodyValidators } from '@muster/http/requests/validate-body';
import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
  onSendHookHandler,
} from 'fastify';
import type { Admission } from '../credentials/admission.ts';
import {
  describePrincipal,
  grantsIn,
  type Principal,
  projectOf,
  type RequestOrigin,
} from '../credentials/principal.ts';
import type { Page, PageOf } from '../list-page.ts';
import { Refusal, UntoldRefusal } from '../refusal.ts';
import { nextPageLink, readPage } from './answers/page-links.ts';
import type { Admitter, Caller } from './authentication/admitter.ts';
import { addressOf } from './authentication/sender.ts';
import { senderAddress } from './authentication/sender-address.ts';
import { brokenSignal } from './connections/hang-up-signal.ts';
import type { BodyRoom } from './overload/body-room.ts';
import type { ListTurns } from './overload/list-turns.ts';
import type { BodyParsers, ParseBody } from './requests/body-parsers.ts';

/** The input of a handler, already authenticated, authorized and validated. */
interface Call<R, Body = BodyOf<R>> {
  /** With its `origin`, unless it is a GET. */
  readonly principal: Principal;
  readonly origin: RequestOrigin;
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: Body;
  readonly admission: Admission;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Returns the body of a success, its JSON text if the handler has serialized it itself, or a stream of a route with another media type. */
export type Handler<R, Body = BodyOf<R>> = (
  call: Call<R, Body>,
) => Promise<AnswerOf<R> | JsonText | Readable>;

/** A serialized JSON body, for hot routes. Of one in another coding, the handler sets the header. */
export class JsonText {
  readonly text: string | Buffer;

  constructor(text: string | Buffer) {
    this.text = text;
  }
}

interface MountOptions<Body = unknown> {
  /** The handler's own statement checks that the credential is fresh. */
  readonly provisional?: boolean;
  /** Changes a parsed body before it is validated. */
  readonly prepareBody?: (body: unknown) => unknown;
  /** Parses each of the route's `otherForms`, by media type. */
  readonly otherParsers?: Readonly<Record<string, ParseBody>>;
  /** Reads and validates a parsed body instead. */
  readonly readBody?: (
    body: unknown,
    request: FastifyRequest,
    query: Readonly<Record<string, unknown>>,
  ) => Body;
  /** Limits the memory of large bodies. Absent: no limit. */
  readonly bodyRoom?: BodyRoom;
  /** True if a call must take turns with other callers. Absent: if the answer is a page of a list. */
  readonly takesTurns?: (query: Readonly<Record<string, unknown>>) => boolean;
}

interface MounterParts {
  readonly admitter: Admitter;
  readonly validators: BodyValidators;
  readonly listTurns: ListTurns;
  /** Called for each request with a valid credential that gets a 403. */
  readonly onDenied: (request: DeniedRequest) => void;
  /** Called before a change by a user is answered. Absent: nothing has to be told of it. */
  readonly onChanged?: (() => Promise<void>) | undefined;
  /** Says why something was not found, by the ids in the path and the project of the caller; undefined: there is nothing more that the caller may know. */
  readonly explainMissing?:
    | ((ids: readonly string[], caller: Principal) => Promise<Refusal | undefined>)
    | undefined;
}

interface DeniedRequest {
  /** With its `origin`. */
  readonly principal: Principal;
  readonly operationID: string;
  readonly code: string;
  /** Null: it was denied on the installation, or the caller has no part in the project. */
  readonly projectID: string | null;
}

/** Mounts routes of the contract: credentials, permission, validation and the form of the answer. */
export class RouteMounter {
  readonly #app: FastifyInstance;
  readonly #admitter: Admitter;
  readonly #validators: BodyValidators;
  readonly #listTurns: ListTurns;
  readonly #onDenied: MounterParts['onDenied'];
  readonly #onChanged: MounterParts['onChanged'];
  readonly #explainMissing: MounterParts['explainMissing'];

  constructor(app: FastifyInstance, parts: MounterParts) {
    this.#app = app;
    this.#admitter = parts.admitter;
    this.#validators = parts.validators;
    this.#listTurns = parts.listTurns;
    this.#onDenied = parts.onDenied;
    this.#onChanged = parts.onChanged;
    this.#explainMissing = parts.explainMissing;
    app.decorateRequest('caller');
    app.decorateRequest('admission');
    app.decorateRequest('isUntold', false);
    app.decorateRequest('isStream', false);
  }

  /** @param route a route of the contract, which defines the types of the handler. */
  mount<R extends Route, Body = BodyOf<R>>(
    route: R,
    handler: Handler<R, Body>,
    options: MountOptions<Body> = {},
  ): void {
    const { otherParsers } = options;
    if (otherParsers !== undefined) {
      this.#app.register(async (scope) => {
        const parsers = scope.getDecorator<BodyParsers>('bodyParsers');
        scope.removeAllContentTypeParsers();
        for (const [mediaType, parse] of Object.entries({ 'application/json': parseJson, ...otherParsers })) {
          parsers.add(scope, mediaType, parse, true);
        }
        this.#addTo(scope, route, handler, options);
      });
    } else if (route.method !== 'GET' && (route.body?.format !== 'json' || route.body.isLenient)) {
      this.#app.register(async (scope) => {
        scope.removeAllContentTypeParsers();
        // With any value, even an invalid media type: agents must not fail because of this header, and clients that
        // send an empty form or `{}` with every request must not fail on routes without a body.
        scope.addHook('onRequest', (request, _reply, done) => {
          delete request.headers['content-type'];
          done();
        });
        scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
          done(null, route.body === undefined ? undefined : body),
        );
        this.#addTo(scope, route, handler, options);
      });
    } else {
      this.#addTo(this.#app, route, handler, options);
    }
  }

  #addTo<R extends Route, Body>(
    app: FastifyInstance,
    route: R,
    handler: Handler<R, Body>,
    options: MountOptions<Body>,
  ): void {
    const parseQuery = compileQueryParser(route.query);
    const parseParams = compileParamsParser(route.params);
    const validateBody =
      route.body?.format === 'json' && options.readBody === undefined
        ? this.#validators.compile(route.body.schema)
        : undefined;
    const noteDenied = (request: FastifyRequest, refusal: Refusal) =>
      this.#noteDenied(route, request, refusal);
    const { takesTurns = () => route.answer.paged === true } = options;
    const explainMissing = this.#explainMissing;
    app.route({
      method: route.method as HTTPMethods, // the contract's methods are among them
      url: routerPath(route.path),
      ...(route.body === undefined ? {} : { bodyLimit: route.body.limitBytes }),
      ...(options.bodyRoom === undefined ? {} : { preParsing: options.bodyRoom.preParsing }),
      ...(route.answer.schema === undefined || route.answer.mediaType !== undefined
        ? {}
        : { schema: { response: { [route.answer.status]: route.answer.schema } } }),
      ...(route.answer.paged || options.takesTurns !== undefined ? { onSend: this.#noteAnswer } : {}),
      onRequest: this.#letIn(route, options.provisional ?? false),
      handler: async (request, reply) => {
        const admission = request.getDecorator<Admission | undefined>('admission');
        if (admission === undefined && route.credentials.length > 0)
          throw new Error('no caller was admitted');
        const params = parseParams(request.params as Record<string, string>); // the router gives texts
        const query = parseQuery(request.query as Record<string, string>); // the parser checks what it is
        const prepared = options.prepareBody?.(request.body) ?? request.body;
        validateBody?.(prepared);
        const body = options.readBody?.(request.body, request, query) ?? prepared;
        reply.code(route.answer.status);
        const origin = originOf(request);
        // Principals are remembered and shared between requests.
        const principal =
          route.method === 'GET' ? admission?.principal : admission && { ...admission.principal, origin };
        const call = { principal, origin, params, query, body, admission, request, reply } as Call<R, Body>; // checked above, part by part
        const work = () => handler(call);
        const answer = await (takesTurns(query) ? this.#takeTurn(request, reply, work) : work());
        if (this.#onChanged !== undefined && route.method !== 'GET' && principal?.kind === 'access')
          await this.#onChanged();
        return finish(reply, route, answer);
      },
      errorHandler(thrown, request, reply) {
        const fail = (error: FastifyError | Refusal): void => {
          addChallenge(reply, route, error);
          if (error instanceof Refusal) noteDenied(request, error);
          if (error instanceof UntoldRefusal) request.setDecorator('isUntold', true);
          app.errorHandler(error, request, reply);
        };
        const error = nameMediaTypes(thrown, route);
        const caller = request.getDecorator<Caller | undefined>('caller')?.principal;
        const isMissing = error instanceof Refusal && error.code === 'not_found';
        if (!isMissing || explainMissing === undefined || caller === undefined) {
          fail(error);
          return;
        }
        explainMissing(idsOf(request, caller), caller).then(
          (better) => fail(better ?? error),
          () => fail(error),
        );
      },
    });
  }

  #noteDenied({ operationID }: Route, request: FastifyRequest, { code, projectID }: Refusal): void {
    if (problems[code].status !== 403) return;
    const caller = request.getDecorator<Caller | undefined>('caller');
    if (caller === undefined) return;
    const { principal } = caller;
    const known = projectID ?? projectOf(principal) ?? (request.params as Record<string, string>).projectID; // the router gives texts
    const id = known?.toLowerCase();
    this.#onDenied({
      principal: { ...principal, origin: originOf(request) },
      operationID,
      code,
      projectID: id !== undefined && grantsIn(principal, id) !== undefined ? id : null,
    });
  }

  readonly #noteAnswer: onSendHookHandler = (request, reply, payload, done) => {
    if (typeof payload === 'string' && reply.statusCode === 200) {
      this.#listTurns.noteAnswer(callerOf(request), Buffer.byteLength(payload), reply.raw);
    }
    done();
  };

  #takeTurn<Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<Result>,
  ): Promise<Result> {
    return this.#listTurns.run(callerOf(request), brokenSignal(request, reply), work);
  }

  /** Authenticates and authorizes before the body is read. A public route admits everybody. */
  #letIn(route: Route, isProvisional: boolean) {
    const admit = (request: FastifyRequest, caller: Caller): void => {
      request.setDecorator('caller', caller);
      request.setDecorator(
        'admission',
        this.#admitter.admit(route, request.headers, caller, () => senderAddress(request)),
      );
    };
    return (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
      try {
        if (request.url.includes('?')) {
          refuseUndecodableQuery(request.url);
          refuseCredentialInQuery(request.query as Record<string, unknown>); // parsed by Fastify
        }
        if (route.credentials.length > 0) {
          const { credentials } = route;
          if (route.takesBasic) takeBasicCredential(request.headers);
          const caller = this.#admitter.identify(credentials, request.headers, isProvisional, request);
          if (caller instanceof Promise) {
            caller.then((found) => admit(request, found)).then(() => done(), done);
            return;
          }
          admit(request, caller);
        }
      } catch (error) {
        done(error as Error); // a Refusal, or a failure; the error handler accepts both
        return;
      }
      done();
    };
  }
}

/** What a request may be about: the ids in its path, and the project of its credential. */
function idsOf(request: FastifyRequest, caller: Principal): readonly string[] {
  const own = projectOf(caller);
  const named = Object.values(request.params as Record<string, string>); // the router gives texts
  return [...named.filter((text) => uuidPattern.test(text)), ...(own === undefined ? [] : [own])].map((id) =>
    id.toLowerCase(),
  );
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function originOf(request: FastifyRequest): RequestOrigin {
  return { address: senderAddress(request), requestID: request.id };
}

/** The caller that takes turns with others: a credential, or an address if the route needs none. */
function callerOf(request: FastifyRequest): string {
  const caller = request.getDecorator<Caller | undefined>('caller');
  return caller === undefined ? `address ${addressOf(request)}` : describePrincipal(caller.principal);
}

/** A path of the contract in the notation of the router and the metrics. */
export function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** RFC 9110 section 15.5.2: a 401 always contains a challenge. */
function addChallenge(reply: FastifyReply, route: Route, error: unknown): void {
  if (!(error instanceof Refusal) || problems[error.code].status !== 401) return;
  reply.header('WWW-Authenticate', challengeOf(route));
}

/** The framework does not know which media types to name. */
function nameMediaTypes(error: FastifyError, { body }: Route): FastifyError | Refusal {
  if (error.code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || body?.otherForms === undefined) return error;
  return unsupportedMediaType(body);
}

/** The requested page of a list. @throws Refusal invalid_cursor */
export function pageOf(
  list: string,
  call: { readonly query: { readonly last?: number; readonly before?: string } },
): Page {
  return readPage(list, call.query);
}

/** Adds the link to the next page, and returns the rows in the form of the contract. */
export function answerPage<Row extends { readonly id: string }, Item>(
  list: string,
  call: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  page: PageOf<Row>,
  toItem: (row: Row) => Item,
): Item[] {
  const link = nextPageLink(list, call.request.url, page);
  if (link !== undefined) call.reply.header('Link', link);
  return page.rows.map(toItem);
}

function finish(reply: FastifyReply, route: Route, answer: unknown): unknown {
  // The handler writes the answer itself.
  if (reply.sent) return reply;
  if (answer instanceof JsonText) {
    // An empty text is no JSON: the answer has no body then.
    return answer.text === ''
      ? reply.send()
      : reply.type('application/json; charset=utf-8').send(answer.text);
  }
  if (route.answer.schema === undefined) return reply.send();
  if (route.answer.mediaType !== undefined) return reply.type(route.answer.mediaType).send(answer);
  return reply.send(answer);
}
