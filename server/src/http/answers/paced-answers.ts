import { AnswerBatch } from './answer-batch.ts';

interface PacedAnswersOptions {
  /** Most that are sent as they come, in one interval. */
  readonly maxConcurrent?: number;
  /** Beyond, what comes is not kept waiting: each holds its request. */
  readonly maxWaiting?: number;
  readonly intervalMilliseconds?: number;
}

/**
 * Sends refusals in masses at a slow pace. Who asks again at once, whatever Retry-After said, would get the more turns
 * the faster it is refused, and others the fewer; so it waits a moment for its answer. Its connection is read on, and
 * what comes now and then is answered at once.
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
