import { Refusal } from './refusal.ts';

/** Who is refused at the same moment would come back at the same moment: they are told different times. */
const retrySeconds = [1, 2, 3, 4, 5];

/**
 * Refusals for what is too much. Made once, and used again and again: to find out where an error was made costs more
 * than all the rest of such an answer.
 */
export class OverloadRefusals {
  readonly #all = retrySeconds.map((retryAfterSeconds) => new Refusal('overloaded', { retryAfterSeconds }));
  #given = 0;

  next(): Refusal {
    this.#given += 1;
    return this.#all[this.#given % this.#all.length] ?? new Refusal('overloaded');
  }
}
