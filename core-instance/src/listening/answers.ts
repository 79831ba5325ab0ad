import type { ServerResponse } from 'node:http';
import { problems, type Route } from '@muster/contract';
import { rawAnswerHeaders } from '@muster/http/answers/answer-headers';
import { challengeOf } from '@muster/http/answers/challenge-of';
import { problemMediaType, toProblem } from '@muster/http/answers/to-problem';
import { Refusal } from '@muster/http/refusal';

export interface Answer {
  readonly status: number;
  /** A text of JSON; undefined: no body. */
  readonly json?: string;
  readonly text?: string;
  /** Of the media type `type`. */
  readonly bytes?: Buffer;
  readonly type?: string;
  readonly headers?: readonly string[];
}

/** @param isLast the connection ends with this answer */
export function sendAnswer(
  response: ServerResponse,
  requestID: string,
  { status, json, text, bytes, type: givenType, headers = [] }: Answer,
  isLast: boolean,
): void {
  const body = json ?? text ?? bytes;
  const type =
    givenType ?? (json === undefined ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8');
  response.writeHead(status, [
    ...rawAnswerHeaders,
    'X-Request-Id',
    requestID,
    ...headers,
    ...(body === undefined ? [] : ['Content-Type', type]),
    ...(status === 204 ? [] : ['Content-Length', String(Buffer.byteLength(body ?? ''))]),
    ...(isLast ? ['Connection', 'close'] : []),
  ]);
  response.end(body);
}

/** The same answer as the centre gives to what it refuses. */
export function sendRefusal(
  response: ServerResponse,
  requestID: string,
  refusal: Refusal,
  route: Route | undefined,
  isLast: boolean,
): void {
  const { status } = problems[refusal.code];
  const retryAfter = refusal.retryAfterSeconds ?? (status === 503 ? 1 : undefined);
  const body = JSON.stringify(toProblem(refusal.code, requestID, refusal.detail, refusal.fields?.slice()));
  response.writeHead(status, [
    ...rawAnswerHeaders,
    'X-Request-Id',
    requestID,
    ...(status === 401 && route !== undefined ? ['WWW-Authenticate', challengeOf(route)] : []),
    ...(retryAfter === undefined ? [] : ['Retry-After', String(Math.ceil(retryAfter))]),
    'Content-Type',
    problemMediaType,
    'Content-Length',
    String(Buffer.byteLength(body)),
    // What is left of a body that was refused unread would be taken for the next request.
    ...(isLast || status === 413 ? ['Connection', 'close'] : []),
  ]);
  response.end(body);
}

export function toRefusal(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal('internal_error', { cause: error });
}
