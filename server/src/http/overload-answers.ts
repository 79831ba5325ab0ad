import type { ServerResponse } from 'node:http';
import { problems } from '@muster/contract';
import type { FastifyBaseLogger } from 'fastify';
import type { Refusal } from '../refusal.ts';
import { HeldConnections } from './held-connections.ts';
import { problemMediaType, toProblem } from './reply-with-problem.ts';
import { SummedWarning } from './summed-warning.ts';

/** Stands in the written answer where the id of the request belongs. */
const requestIDPlace = '{requestID}';

/**
 * Refuses what is too much with 503. In an overload most answers are these: each has to cost less than what it
 * refuses, and a line in the log for each would be one more load.
 */
export class OverloadAnswers {
  readonly #warning: SummedWarning;
  readonly #held = new HeldConnections();
  readonly #before: string;
  readonly #after: string;

  constructor(logger: FastifyBaseLogger) {
    this.#warning = new SummedWarning(
      logger,
      'overloaded: reports that would have had to wait for too long were refused with 503',
    );
    const text = JSON.stringify(toProblem('overloaded', requestIDPlace, problems.overloaded.help));
    const place = text.indexOf(requestIDPlace);
    this.#before = text.slice(0, place);
    this.#after = text.slice(place + requestIDPlace.length);
  }

  send(response: ServerResponse, requestID: string, { retryAfterSeconds = 1 }: Refusal): void {
    const text = `${this.#before}${requestID}${this.#after}`;
    response.writeHead(problems.overloaded.status, [
      'X-Request-Id',
      requestID,
      'Retry-After',
      String(retryAfterSeconds),
      'Cache-Control',
      'no-store',
      'Content-Type',
      problemMediaType,
      'Content-Length',
      String(Buffer.byteLength(text)),
    ]);
    const { socket } = response;
    // Not before it is out: the end of an answer sets its connection going again.
    response.end(text, () => socket && this.#held.hold(socket));
    this.#warning.note();
  }
}
