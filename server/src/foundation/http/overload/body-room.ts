import type { ServerResponse } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { bodyLimitBytes, largeBodyLimitBytes } from '@muster/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Admission } from '../../credentials/admission.ts';
import { projectOf } from '../../credentials/principal.ts';
import { OverloadRefusals } from '../../scheduling/overload-refusals.ts';

interface BodyRoomLimits {
  /** Maximum bytes of all bodies that are held at once. */
  readonly bytes: number;
  /** Of those, the maximum for the credentials of one project: a project that sends slowly leaves room for others. */
  readonly bytesOfProject: number;
}

/** A body takes about twice its size once more while it is parsed, which is done one after the other. */
const defaultLimits: BodyRoomLimits = { bytes: 32 * 1024 * 1024, bytesOfProject: 16 * 1024 * 1024 };

/**
 * Bounds what the bodies of requests that are not answered yet take in memory. Those of ordinary size are not
 * counted; a larger one that finds no room is refused before it is read.
 */
export class BodyRoom {
  readonly #limits: BodyRoomLimits;
  readonly #refusals = new OverloadRefusals();
  readonly #bytesByProject = new Map<string, number>();
  #bytes = 0;

  constructor(limits: Partial<BodyRoomLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits };
  }

  /** The hook of a route for which the caller was let in already. Fails with overloaded where there is no room. */
  readonly preParsing = (
    request: FastifyRequest,
    reply: FastifyReply,
    body: Readable,
    done: (error: Error | null, body?: Readable) => void,
  ): void => {
    const admission = request.getDecorator<Admission | undefined>('admission');
    const projectID = (admission && projectOf(admission.principal)) ?? '';
    const take = (bytes: number): Error | undefined => this.#take(projectID, bytes, reply.raw);
    const length = request.headers['content-length'];
    if (length === undefined) {
      done(
        null,
        countBytes(body, () => take(largeBodyLimitBytes)),
      );
      return;
    }
    const bytes = Number(length);
    // One beyond the limit of the route is refused for that, and not read either.
    const isCounted = bytes > bodyLimitBytes && bytes <= request.routeOptions.bodyLimit;
    done((isCounted ? take(bytes) : undefined) ?? null, body);
  };

  /** Holds so many bytes until the answer is out or the connection is gone, or tells that there is no room. */
  #take(projectID: string, bytes: number, response: ServerResponse): Error | undefined {
    const ofProject = this.#bytesOf(projectID) + bytes;
    if (this.#bytes + bytes > this.#limits.bytes || ofProject > this.#limits.bytesOfProject) {
      return this.#refusals.next();
    }
    this.#bytes += bytes;
    this.#bytesByProject.set(projectID, ofProject);
    onceOver(response, () => {
      this.#bytes -= bytes;
      const left = this.#bytesOf(projectID) - bytes;
      if (left > 0) this.#bytesByProject.set(projectID, left);
      else this.#bytesByProject.delete(projectID);
    });
    return undefined;
  }

  #bytesOf(projectID: string): number {
    return this.#bytesByProject.get(projectID) ?? 0;
  }
}

/** Passes on a body of unknown length, and asks once before more of it is kept than an ordinary one has. */
function countBytes(body: Readable, takeRoom: () => Error | undefined): Readable {
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const wasOrdinary = bytes <= bodyLimitBytes;
      bytes += chunk.length;
      done(wasOrdinary && bytes > bodyLimitBytes ? (takeRoom() ?? null) : null, chunk);
    },
  });
  // Not `pipeline`: it would end the connection when the body is refused, before the answer is out.
  body.once('error', (error) => counted.destroy(error));
  return body.pipe(counted);
}

/** Calls it once. An answer that waits for the one before it does not learn of the end of its connection. */
function onceOver(response: ServerResponse, call: () => void): void {
  const { socket } = response.req;
  let isOver = false;
  const end = (): void => {
    // A listener that is taken off while its event goes round is called all the same.
    if (isOver) return;
    isOver = true;
    response.off('finish', end).off('close', end);
    socket.off('close', end);
    call();
  };
  response.once('finish', end).once('close', end);
  socket.once('close', end);
}
