import { gunzipSync } from 'node:zlib';
import { bodyLimitBytes } from '@muster/contract';
import type { FastifyInstance } from 'fastify';
import { bodyTooLarge, Refusal } from '../../refusal.ts';
import { LargeBodies } from './large-bodies.ts';

/** Parses the bytes of a body. @throws Refusal */
export type ParseBody = (bytes: Buffer) => unknown;

/** Parsers of bodies by their media type. The large bodies of all routes take turns. */
export class BodyParsers {
  readonly #largeBodies = new LargeBodies();

  /** @param takesGzip true: the body may be compressed with gzip, and the limit of its route applies to both sizes. */
  add(app: FastifyInstance, mediaType: string, parse: ParseBody, takesGzip = false): void {
    app.addContentTypeParser(mediaType, { parseAs: 'buffer' }, (request, body, done) => {
      const settle = (read: () => unknown): void => {
        try {
          done(null, read());
        } catch (error) {
          done(error as Error); // a Refusal, or a failure; the error handler accepts both
        }
      };
      const received = body as Buffer; // as `parseAs` says
      const coding = request.headers['content-encoding'] ?? 'identity';
      if (takesGzip && isGzip(coding)) {
        const { bodyLimit } = request.routeOptions;
        this.#decompress(received, bodyLimit, (decompress) => settle(() => parse(decompress())));
      } else {
        this.#largeBodies.takeTurn(received, (bytes) =>
          settle(() => {
            if (coding !== 'identity') throw unsupportedCoding(takesGzip);
            return parse(bytes);
          }),
        );
      }
    });
  }

  /** What is small when it is decompressed is decompressed at once. Anything else waits for its turn compressed, so that it takes no memory. */
  #decompress(received: Buffer, limitBytes: number, settle: (decompress: () => Buffer) => void): void {
    try {
      const small = gunzip(received, Math.min(bodyLimitBytes, limitBytes));
      settle(() => small);
    } catch (error) {
      if (error instanceof Refusal && error.code === 'body_too_large') {
        this.#largeBodies.take(() => settle(() => gunzip(received, limitBytes)));
      } else {
        settle(() => {
          throw error;
        });
      }
    }
  }
}

/** RFC 9110 section 8.4.1.3: names of codings are case-insensitive, and x-gzip is the same. */
function isGzip(coding: string): boolean {
  return ['gzip', 'x-gzip'].includes(coding.toLowerCase());
}

/** Stops at the limit, so that a small body cannot take much memory. @throws Refusal body_too_large, bad_request */
function gunzip(received: Buffer, limitBytes: number): Buffer {
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
function unsupportedCoding(takesGzip: boolean): Refusal {
  return new Refusal('unsupported_media_type', {
    detail: takesGzip
      ? 'The body is compressed in a way that this route does not accept (Content-Encoding). Use gzip, or send it uncompressed.'
      : 'The body is compressed (Content-Encoding), which this route does not accept. Send it uncompressed.',
  });
}
