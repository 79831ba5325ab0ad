import { AnswerBatch } from './answer-batch.ts';

interface PacedAnswersOptions {
  /** The number of answers sent at once in one interval. */
  readonly maxConcurrent?: number;
  /** Further answers are sent at once, because each waiting answer keeps its request in memory. */
  readonly maxWaiting?: number;
  readonly intervalMilliseconds?: number;
}

/**
 * Delays refusals when there are many. A client that ignores Retry-After and asks again at once would get more turns the
 * faster it is refused, at the cost of others; so its answer is delayed a little. Its connection is still read, and
 * occasional refusals are answered at once.
 */
export class PacedAnswers {
  readonly #maxConcurrent: number;
  readonly #maxWaiting: number;
  readonly #intervalMilliseconds: number;
  readonly #batch = new AnswerBatch();
  #waiting: (() => void)[] = [];
  #sentAtOnce = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PacedAnswersOptions = {}) {
    this.#maxConcurrent = options.maxConcurrent ?? 20;
    this.#maxWaiting = options.maxWaiting ?? 1_000;
    this.#intervalMilliseconds = options.intervalMilliseconds ?? 100;
  }

  add(send: () => void): void {
    this.#timer ??= setTimeout(() => this.#endInterval(), this.#intervalMilliseconds);
    if (this.#sentAtOnce < this.#maxConcurrent || this.#waiting.length >= this.#maxWaiting) {
      this.#sentAtOnce += 1;
      this.#batch.add(send);
    } else {
      this.#waiting.push(send);
    }
  }

  #endInterval(): void {
    this.#timer = undefined;
    this.#sentAtOnce = 0;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const send of waiting) this.#batch.add(send);
  }
}
