import type { IncomingHttpHeaders } from 'node:http';
import type { RandomBytes } from '../../secret.ts';

/**
 * Makes names for requests: a random part for this process and a count. They cost almost nothing, which matters
 * for what every report of a storm gets.
 */
export function createNewRequestID(randomBytes: RandomBytes): () => string {
  const process = Buffer.from(randomBytes(9)).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return `${process}.${count.toString(36)}`;
  };
}

/** Takes the caller's id where it is fit for a log line, so that one id follows a request through proxies. */
export function requestIDOf(headers: IncomingHttpHeaders, newRequestID: () => string): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : newRequestID();
}
