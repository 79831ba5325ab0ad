import { problems } from '@muster/contract';
import { answerHeaders } from '@muster/http/answers/answer-headers';
import { maxFieldLength, problemMediaType, shorten, toProblem } from '@muster/http/answers/to-problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyTooLarge, Refusal, UntoldRefusal } from '../../refusal.ts';

/** Tells whether an error means that the database cannot be reached or cannot write now. */
export type IsDatabaseFailure = (error: unknown) => boolean;

/** Turns the errors of routes into answers. A 5xx never shows internals; the log does. */
export function createErrorHandler(isDatabaseFailure: IsDatabaseFailure) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = beginRefusal(error, request, reply, isDatabaseFailure);
    reply
      .type(problemMediaType)
      .send(JSON.stringify(toProblem(refusal.code, request.id, refusal.detail, refusal.fields?.slice())));
  };
}

/** Writes the status and the headers of the answer to an error, and its line in the log. The caller writes the body. */
export function beginRefusal(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  isDatabaseFailure: IsDatabaseFailure,
): Refusal {
  const refusal = toRefusal(error, isDatabaseFailure, request.routeOptions.bodyLimit);
  const { status } = problems[refusal.code];
  // In an overload this would be one more load; the answer has a line of its own, or one for many.
  if (status >= 500 && refusal.code !== 'overloaded' && !(refusal instanceof UntoldRefusal))
    request.log.error({ err: refusal.cause ?? error, code: refusal.code }, 'request failed');
  const retryAfter = refusal.retryAfterSeconds ?? (status === 503 ? 1 : undefined);
  if (retryAfter !== undefined) reply.header('Retry-After', String(Math.ceil(retryAfter)));
  // What is left of a body that was refused unread would be taken for the next request.
  if (status === 413) reply.header('Connection', 'close');
  reply.code(status).headers(answerHeaders);
  return refusal;
}

export function routeNotFound(request: FastifyRequest): Refusal {
  return new Refusal('route_not_found', {
    detail: `There is no ${request.method} ${pathOf(request.url)}. See /docs for every route.`,
  });
}

function pathOf(url: string): string {
  return shorten(url.split('?', 1)[0] ?? '/', maxFieldLength);
}

function toRefusal(error: unknown, isDatabaseFailure: IsDatabaseFailure, bodyLimitBytes: number): Refusal {
  if (error instanceof Refusal) return error;
  const status = statusOf(error);
  if (status === 413) return bodyTooLarge(bodyLimitBytes);
  if (status === 415) {
    return new Refusal('unsupported_media_type', {
      detail: 'The body must be sent as Content-Type: application/json.',
    });
  }
  // Before the database: a client that hangs up looks like a lost connection too.
  if (status !== undefined && status >= 400 && status < 500) {
    return new Refusal('bad_request', { detail: messageOf(error) });
  }
  if (isDatabaseFailure(error)) return new Refusal('database_unavailable', { cause: error });
  return new Refusal('internal_error', { cause: error });
}

/** The status that the framework chose for what it refused itself. */
function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined;
  return typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

/** The framework's messages quote the whole path. */
const frameworkDetails: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL:
    'The path is not valid: each % must be followed by two hex digits, and the decoded bytes must be UTF-8.',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the path is longer than any id or name.',
};

function messageOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) {
    const detail = frameworkDetails[String(error.code)];
    if (detail !== undefined) return detail;
  }
  return error instanceof Error ? `${error.message.replace(/[.\s]*$/, '')}.` : 'The request is not valid.';
}
