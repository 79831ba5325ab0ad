import type { ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { Refusal } from '../../refusal.ts';
import { PrerenderedProblems } from '../answers/prerendered-problems.ts';
import { HeldConnections } from '../connections/held-connections.ts';
import { SummedWarning } from '../summed-warning.ts';

/**
 * Refuses what is too much with 503. In an overload most answers are these: each has to cost less than what it
 * refuses, and a line in the log for each would be one more load.
 */
export class OverloadAnswers {
  readonly #warning: SummedWarning;
  readonly #held = new HeldConnections();
  readonly #written = new PrerenderedProblems();

  constructor(logger: FastifyBaseLogger) {
    this.#warning = new SummedWarning(
      logger,
      'overloaded: reports that would have had to wait for too long were refused with 503',
    );
  }

  send(response: ServerResponse, requestID: string, refusal: Refusal): void {
    const { socket } = response;
    // Not before it is out: the end of an answer sets its connection going again.
    this.#written.send(response, requestID, refusal, () => socket && this.#held.hold(socket));
    this.#warning.note();
  }
}
