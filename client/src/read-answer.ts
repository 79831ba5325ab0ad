import { MusterAnswerError, MusterError } from './errors.ts';
import type { Problem } from './generated/schemas.gen.ts';
import type { Operation } from './operation.ts';
import type { FetchAnswer } from './platform.ts';

/** A successful answer: its body and access to its headers. */
export interface Answer {
  /** Parsed if it is JSON; undefined if there is no body. */
  readonly body: unknown;
  /** Undefined if there is no header of that name. */
  readonly header: (name: string) => string | undefined;
}

/** The request and the number of its attempts. */
export interface Asked {
  readonly operation: Operation;
  readonly url: string;
  readonly attempt: number;
}

/**
 * Reads an answer.
 *
 * @throws MusterError for a refusal, MusterAnswerError for an answer that is not from Muster
 */
export async function readAnswer(response: FetchAnswer, asked: Asked): Promise<Answer> {
  const { status } = response;
  const header = (name: string): string | undefined => response.headers.get(name) ?? undefined;
  if (status === 0 || (status >= 300 && status < 400)) {
    throw foreignAnswer(response, asked, explainRedirect(asked.url, header('location')));
  }
  const text = await response.text();
  const isJson = header('content-type')?.includes('json') ?? false;
  if (status >= 400) throw readRefusal(response, asked, isJson ? parse(text) : undefined, text);
  const body = readBody(asked.operation, isJson, text);
  if (status !== asked.operation.status || body === notAsPromised) {
    throw foreignAnswer(response, asked, explainForeign(response, text));
  }
  return { body, header };
}

const notAsPromised = Symbol('not as promised');

function readBody({ answers }: Operation, isJson: boolean, text: string): unknown {
  if (answers === 'nothing') return undefined;
  if (answers === 'text') return text;
  const body = isJson ? parse(text) : undefined;
  if (body === undefined || (answers === 'page' && !Array.isArray(body))) return notAsPromised;
  return body;
}

function readRefusal(response: FetchAnswer, asked: Asked, body: unknown, text: string): Error {
  if (!isProblem(body)) return foreignAnswer(response, asked, explainForeign(response, text));
  return new MusterError(body, {
    status: response.status,
    retryAfterSeconds: readRetryAfter(response),
    attempts: asked.attempt,
  });
}

function foreignAnswer(
  response: FetchAnswer,
  { operation, url, attempt }: Asked,
  why: string,
): MusterAnswerError {
  const { status } = response;
  return new MusterAnswerError(
    `${operation.id}: ${new URL(url).origin} did not answer as Muster does. ${why}`,
    {
      status,
      contentType: response.headers.get('content-type') || undefined,
      retryAfterSeconds: readRetryAfter(response),
      attempts: attempt,
      // A gateway's 5xx can hide a request that was carried out, and so can a success with a foreign body.
      mayBeDone: (status >= 200 && status < 300) || status >= 500,
    },
  );
}

function explainRedirect(url: string, location: string | undefined): string {
  if (location === undefined) {
    return 'It redirects. Redirects are not followed, because a credential is sent only to the url that it was given for. Open the url in a browser to see where it leads, and give that address.';
  }
  const target = URL.canParse(location, url) ? new URL(location, url) : undefined;
  const where = target === undefined ? 'elsewhere' : `to ${target.origin}${target.pathname}`;
  return `It redirects ${where}. Redirects are not followed, because a credential is sent only to the url that it was given for. If the new address is right, give it as url.`;
}

const maxExcerptLength = 120;

function explainForeign({ status, headers }: FetchAnswer, text: string): string {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text)?.[1];
  const excerpt = (title ?? text).replaceAll(/\s+/g, ' ').trim().slice(0, maxExcerptLength);
  const type = headers.get('content-type') || 'no content type';
  return `The answer is ${status} with ${type}${excerpt === '' ? '' : `: "${excerpt}"`}. Check the url, and whether a proxy, a sign-in page or another service answers there.`;
}

/** `Retry-After` is a number of seconds or a date (RFC 9110). */
function readRetryAfter({ headers }: FetchAnswer): number | undefined {
  const value = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(value)) return Number(value);
  const milliseconds = Date.parse(value) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, Math.ceil(milliseconds / 1_000));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): value is Problem {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'code' in value && typeof value.code === 'string' && 'detail' in value && typeof value.detail === 'string'
  );
}
