import { gunzipSync } from 'node:zlib';
import { bodyTooLarge, Refusal } from '../refusal.ts';

/** RFC 9110 section 8.4.1.3: names of codings are case-insensitive, and x-gzip is the same. */
export function isGzip(coding: string): boolean {
  return ['gzip', 'x-gzip'].includes(coding.toLowerCase());
}

/** Stops at the limit, so that a small body cannot take much memory. @throws Refusal body_too_large, bad_request */
export function gunzip(received: Buffer, limitBytes: number): Buffer {
  try {
    return gunzipSync(received, { maxOutputLength: limitBytes });
  } catch (error) {
    if (error instanceof RangeError) throw bodyTooLarge(limitBytes);
    throw new Refusal('bad_request', {
      detail: 'The body is not valid gzip, although its Content-Encoding says so. It may have been cut off.',
      cause: error,
    });
  }
}

/** RFC 9110 section 15.5.16: 415 also means an unsupported content coding. */
export function unsupportedCoding(takesGzip: boolean): Refusal {
  return new Refusal('unsupported_media_type', {
    detail: takesGzip
      ? 'The body is compressed in a way that this route does not accept (Content-Encoding). Use gzip, or send it uncompressed.'
      : 'The body is compressed (Content-Encoding), which this route does not accept. Send it uncompressed.',
  });
}
