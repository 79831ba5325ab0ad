import type { IncomingHttpHeaders } from 'node:http';

/**
 * Creates request ids from a random part for this process and a counter. They cost almost nothing, which matters because every report of a storm gets one.
 */
export function createNewRequestID(randomBytes: (size: number) => Uint8Array): () => string {
  const process = Buffer.from(randomBytes(9)).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return `${process}.${count.toString(36)}`;
  };
}

/** Uses the caller's id if it is safe for a log line, so that one id follows a request through proxies. */
export function requestIDOf(headers: IncomingHttpHeaders, newRequestID: () => string): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : newRequestID();
}
