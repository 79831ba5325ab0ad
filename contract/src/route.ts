import type { Static, TObject, TSchema } from 'typebox';
import type { Need, Permission } from './permissions.ts';
import type { ProblemCode } from './problems.ts';
import type { CredentialKind } from './token-format.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * Where a user needs the permission of a route, if not in one project. `installation`: on the installation itself, as its administrators have it.
 * `visible`: the answer contains only what belongs to projects where the user has it, so that nobody is refused.
 */
export type RouteScope = 'installation' | 'visible';

/** How a route treats body fields that the schema does not name. */
export type UnknownFields = 'refused' | 'ignored';

/** One route of the service: the source of its validation, types, documentation, tests and clients. */
export interface Route<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Answer extends TSchema = TSchema,
> {
  /** Stable name, used by generated clients. */
  readonly operationID: string;
  readonly method: Method;
  /** `{name}` stands for a path parameter. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Kinds of credential that the route accepts; if a request carries several, the first in this list is used. Empty: public. */
  readonly credentials: readonly CredentialKind[];
  /** A kind that may be sent in addition to the deciding one, to prove who the caller is. */
  readonly proof?: CredentialKind;
  /** True if a project or agent token is also accepted as the password of HTTP Basic (RFC 7617), with any user name. */
  readonly takesBasic?: boolean;
  /**
   * The permission that the credential needs. Absent: every valid credential of a listed kind may call the route. `*:*` with the scope `installation`:
   * an administrator with a credential that is not narrowed.
   */
  readonly permission?: Need;
  /** The additional permission for the parts of the route that need it. */
  readonly furtherPermission?: Permission;
  /** Where a user needs the permission. Absent: in the project that the request is about. */
  readonly scope?: RouteScope;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: RouteBody<Body>;
  readonly answer: RouteAnswer<Answer>;
  /** True if it takes an Idempotency-Key, with which repeating it gives the same answer again. */
  readonly takesIdempotencyKey?: boolean;
  /** For a POST: true when repeating it has no further effect. Every other method is always repeatable. */
  readonly repeatable?: boolean;
  /** Refusals of this route, in addition to those that follow from its credentials and inputs. */
  readonly problems?: readonly ProblemCode[];
}

export interface RouteBody<Body extends TSchema = TSchema> {
  readonly schema: Body;
  /** `json`: application/json. `bytes`: any media type, described by `mediaType`. */
  readonly format: 'json' | 'bytes';
  readonly mediaType: string;
  readonly limitBytes: number;
  /** What is also accepted, by media type, and each of them compressed with gzip. */
  readonly otherForms?: Readonly<Record<string, TSchema>>;
  /**
   * Any media type is accepted, and no body at all; what is not a JSON object of the schema's fields says nothing. For routes
   * that agents call with whatever their outputs make of a record.
   */
  readonly isLenient?: boolean;
}

export interface RouteAnswer<Answer extends TSchema = TSchema> {
  readonly status: 200 | 201 | 204;
  /** Absent: no body. */
  readonly schema?: Answer;
  readonly mediaType?: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer is a page of a list: the body is a bare array and a Link header points to the next page. */
  readonly paged?: boolean;
}

export type ParamsOf<R> = R extends Route<infer P, TObject, TSchema, TSchema> ? Static<P> : never;
export type QueryOf<R> = R extends Route<TObject, infer Q, TSchema, TSchema> ? Static<Q> : never;
export type BodyOf<R> = R extends Route<TObject, TObject, infer B, TSchema> ? Static<B> : never;
export type AnswerOf<R> = R extends Route<TObject, TObject, TSchema, infer A> ? Static<A> : never;

/** Keeps the exact types of a route's parts. */
export function defineRoute<
  const Params extends TObject,
  const Query extends TObject,
  const Body extends TSchema,
  const Answer extends TSchema,
>(route: Route<Params, Query, Body, Answer>): Route<Params, Query, Body, Answer> {
  return route;
}

/**
 * True if a route also accepts the session of a browser, as the user who has signed in: where an access token is the first kind. Routes that agents
 * call name it last, and take no cookie.
 */
export function takesSession([first]: readonly CredentialKind[]): boolean {
  return first === 'access';
}

const kibibyte = 1024;

/** Size limit of an ordinary request body. */
export const bodyLimitBytes = 64 * kibibyte;

/** Size limit of a body that carries a configuration, metrics or reports of agent errors. */
export const largeBodyLimitBytes = 4 * kibibyte * kibibyte;

/** A JSON body of ordinary size. */
export function jsonBody<Body extends TSchema>(schema: Body, limitBytes = bodyLimitBytes): RouteBody<Body> {
  return { schema, format: 'json', mediaType: 'application/json', limitBytes };
}
