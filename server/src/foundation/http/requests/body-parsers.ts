import { bodyLimitBytes } from '@muster/contract';
import { gunzip, isGzip, unsupportedCoding } from '@muster/http/requests/content-coding';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { describePrincipal, projectOf } from '../../credentials/principal.ts';
import { Refusal } from '../../refusal.ts';
import type { Caller } from '../authentication/admitter.ts';
import { addressOf } from '../authentication/sender.ts';
import { LargeBodies } from './large-bodies.ts';

/** Parses the bytes of a body. @throws Refusal */
export type ParseBody = (bytes: Buffer) => unknown;

/** Parsers of bodies by their media type. The large bodies of all routes wait in one queue. */
export class BodyParsers {
  readonly #largeBodies = new LargeBodies();

  /** @param takesGzip true: the body may be compressed with gzip, and the limit of its route applies to both sizes. */
  add(app: FastifyInstance, mediaType: string, parse: ParseBody, takesGzip = false): void {
    app.addContentTypeParser(mediaType, { parseAs: 'buffer' }, (request, body, done) => {
      const settle: Settle = (read) => {
        try {
          done(null, read());
        } catch (error) {
          done(error as Error); // a Refusal, or a failure; the error handler accepts both
        }
      };
      const received = body as Buffer; // as `parseAs` says
      const coding = request.headers['content-encoding'] ?? 'identity';
      if (takesGzip && isGzip(coding)) {
        this.#decompress(request, received, settle, parse);
        return;
      }
      const read = (): unknown => {
        if (coding !== 'identity') throw unsupportedCoding(takesGzip);
        return parse(received);
      };
      if (received.length <= bodyLimitBytes) settle(read);
      else this.#takeTurn(request, settle, read);
    });
  }

  /** What is small when it is decompressed is decompressed at once. Anything else waits for its turn compressed, so that it takes little memory. */
  #decompress(request: FastifyRequest, received: Buffer, settle: Settle, parse: ParseBody): void {
    const { bodyLimit } = request.routeOptions;
    try {
      const small = gunzip(received, Math.min(bodyLimitBytes, bodyLimit));
      settle(() => parse(small));
    } catch (error) {
      if (error instanceof Refusal && error.code === 'body_too_large') {
        this.#takeTurn(request, settle, () => parse(gunzip(received, bodyLimit)));
      } else {
        settle(() => {
          throw error;
        });
      }
    }
  }

  #takeTurn(request: FastifyRequest, settle: Settle, read: () => unknown): void {
    const { socket } = request.raw;
    const gone = new AbortController();
    const onGone = (): void => gone.abort();
    socket.once('close', onGone);
    if (socket.destroyed) onGone();
    const end = (readOrRefuse: () => unknown): void => {
      socket.off('close', onGone);
      settle(readOrRefuse);
    };
    void this.#largeBodies.take({
      caller: callerOf(request),
      hangUp: gone.signal,
      work: () => end(read),
      refuse: (refusal) =>
        end(() => {
          throw refusal;
        }),
    });
  }
}

/** Answers with what a body contains, or with what reading it throws. */
type Settle = (read: () => unknown) => void;

/** All credentials of a project are one caller: each of its agents may have some. */
function callerOf(request: FastifyRequest): string {
  const caller = request.getDecorator<Caller | undefined>('caller')?.principal;
  if (caller === undefined) return `address ${addressOf(request)}`;
  return projectOf(caller) ?? describePrincipal(caller);
}
