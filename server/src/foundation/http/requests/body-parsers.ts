import { bodyLimitBytes } from '@muster/contract';
import { gunzip, isGzip, unsupportedCoding } from '@muster/http/requests/content-coding';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../refusal.ts';
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
