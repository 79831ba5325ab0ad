import { percentile } from '../measure/statistics.ts';
import type { OpenLoopFigures } from './open-loop.ts';
import type { Answer } from './report-connection.ts';

const maxExamples = 5;

/** Counts the results of requests. */
export class Tally {
  unsent = 0;
  #sent = 0;
  #unexpected = 0;
  #timedOut = 0;
  #broken = 0;
  readonly #examples: string[] = [];
  readonly #late: number[] = [];
  readonly #accepted: number[] = [];
  readonly #refused: number[] = [];

  countSent(late: number): void {
    this.#sent += 1;
    this.#late.push(late);
  }

  countAnswer(answer: Answer | undefined, milliseconds: number, isLate: boolean): void {
    if (answer === undefined) {
      if (isLate) this.#timedOut += 1;
      else this.#broken += 1;
    } else if (answer.status === 201) {
      this.#accepted.push(milliseconds);
    } else if (answer.status === 503 && /\r\nretry-after: [1-9]/i.test(answer.head)) {
      this.#refused.push(milliseconds);
    } else {
      this.#unexpected += 1;
      if (this.#examples.length < maxExamples) this.#examples.push(answer.head);
    }
  }

  figures(): OpenLoopFigures {
    return {
      sent: this.#sent,
      accepted: this.#accepted.length,
      refused: this.#refused.length,
      unexpected: this.#unexpected,
      examples: this.#examples,
      timedOut: this.#timedOut,
      broken: this.#broken,
      unsent: this.unsent,
      accepted50: of(this.#accepted, 0.5),
      accepted99: of(this.#accepted, 0.99),
      refused50: of(this.#refused, 0.5),
      refused99: of(this.#refused, 0.99),
      late99: of(this.#late, 0.99),
    };
  }
}

function of(values: readonly number[], share: number): number {
  return values.length === 0 ? 0 : percentile(values, share);
}
