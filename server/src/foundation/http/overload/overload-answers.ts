import type { ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { Refusal } from '../../refusal.ts';
import { PrerenderedProblems } from '../answers/prerendered-problems.ts';
import { HeldConnections } from '../connections/held-connections.ts';
import { SummedWarning } from '../summed-warning.ts';

/**
 * Answers 503 in an overload. Most answers are of this kind then, so each has to cost less than the request that it
 * refuses, and is not logged by itself.
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
    // Only after the answer was sent: the end of an answer resumes the connection.
    this.#written.send(response, requestID, refusal, () => socket && this.#held.hold(socket));
    this.#warning.note();
  }
}
