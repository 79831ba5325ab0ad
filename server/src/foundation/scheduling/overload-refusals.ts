import { Refusal } from '../refusal.ts';

/** Callers that are refused at the same moment get different times, so that they do not all come back at once. */
const retrySeconds = [1, 2, 3, 4, 5];

/**
 * Refusals of requests beyond a limit. They are created once and reused, because capturing a stack trace costs more than the rest of such an answer.
 */
export class OverloadRefusals {
  readonly #all = retrySeconds.map((retryAfterSeconds) => new Refusal('overloaded', { retryAfterSeconds }));
  #given = 0;

  next(): Refusal {
    this.#given += 1;
    return this.#all[this.#given % this.#all.length] ?? new Refusal('overloaded');
  }
}
