import type { Static, TObject, TSchema } from 'typebox';
import type { Permission } from './permissions.ts';
import type { ProblemCode } from './problems.ts';
import type { CredentialKind } from './token-format.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** What is done with body fields that the schema does not name. */
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
  /** Kinds of credential it takes; of those presented the first of this list decides. Empty: public. */
  readonly credentials: readonly CredentialKind[];
  /** A kind that may be sent beside the one that decides, as a proof of who the caller is. */
  readonly proof?: CredentialKind;
  /** What the credential must be granted. Absent: every valid credential of a listed kind. */
  readonly permission?: Permission;
  /** Asked for besides, where the route can also do this. */
  readonly furtherPermission?: Permission;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: RouteBody<Body>;
  readonly answer: RouteAnswer<Answer>;
  /** Of a POST: sending it twice does no more than sending it once. Any other method always is. */
  readonly repeatable?: boolean;
  /** Refusals of this route beyond those that every route with its credentials and inputs can answer. */
  readonly problems?: readonly ProblemCode[];
}

export interface RouteBody<Body extends TSchema = TSchema> {
  readonly schema: Body;
  /** `json`: application/json. `bytes`: any media type, described by `mediaType`. */
  readonly format: 'json' | 'bytes';
  readonly mediaType: string;
  readonly limitBytes: number;
}

export interface RouteAnswer<Answer extends TSchema = TSchema> {
  readonly status: 200 | 201 | 204;
  /** Absent: no body. */
  readonly schema?: Answer;
  readonly mediaType?: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A page of a list: the body is a bare array and a Link header leads to the next page. */
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

const kibibyte = 1024;

/** Most bytes of an ordinary request body. */
export const bodyLimitBytes = 64 * kibibyte;

/** Most bytes of a body that carries a configuration, metrics or reports of agent errors. */
export const largeBodyLimitBytes = 4 * kibibyte * kibibyte;

/** A JSON body of ordinary size. */
export function jsonBody<Body extends TSchema>(schema: Body, limitBytes = bodyLimitBytes): RouteBody<Body> {
  return { schema, format: 'json', mediaType: 'application/json', limitBytes };
}
