import type { Operation } from './operation.ts';
import type { Bytes } from './platform.ts';

/** An HTTP request without its credential. */
export interface BuiltRequest {
  readonly url: string;
  readonly body: string | Bytes | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Puts the input of a call into the path, the body and the query of the operation.
 *
 * @throws TypeError when a path parameter is missing or cannot be written in a path
 */
export function buildRequest(address: string, operation: Operation, input: object): BuiltRequest {
  const { body, ...parameters } = input as { body?: unknown } & Record<string, unknown>; // path and query parameters by name
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const segment = pathSegment(operation, name, parameters[name]);
    delete parameters[name];
    return segment;
  });
  const query = queryOf(parameters);
  return {
    url: `${address}${path}${query === '' ? '' : `?${query}`}`,
    body: body === undefined ? undefined : encodeBody(operation, body),
    headers: {
      ...(operation.answers === 'text' ? {} : { accept: 'application/json, application/problem+json' }),
      ...(body === undefined ? {} : { 'content-type': operation.mediaType ?? 'application/json' }),
    },
  };
}

function pathSegment({ id }: Operation, name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') {
    throw new TypeError(`${id} needs ${name}, a text that is not empty; it got ${describe(value)}.`);
  }
  // Servers and proxies resolve these as steps in the path, even when they are escaped.
  if (value === '.' || value === '..')
    throw new TypeError(`${id}: '${value}' cannot be used in a path as ${name}.`);
  try {
    return encodeURIComponent(value);
  } catch {
    throw new TypeError(`${id}: ${name} has half of a character (a lone surrogate).`);
  }
}

function queryOf(parameters: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null) query.append(name, String(value));
  }
  return query.toString();
}

function encodeBody({ mediaType }: Operation, body: unknown): string | Bytes {
  if (mediaType === undefined) return JSON.stringify(body);
  return body as Bytes; // the only other form of a body; the type of bytes differs by platform
}

function describe(value: unknown): string {
  if (value === '') return 'an empty one';
  return value === null || value === undefined ? 'nothing' : typeof value;
}
