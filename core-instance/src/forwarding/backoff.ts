interface BackoffOptions {
  readonly firstMilliseconds?: number;
  readonly maxMilliseconds?: number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** A longer wait that somebody asks for, such as a proxy, is cut to this. */
const maxRetryAfterSeconds = 300;

/** Waits between attempts that grow and are spread at random, so that sites that lost the centre together do not come back together. */
export class Backoff {
  readonly #first: number;
  readonly #max: number;
  readonly #random: () => number;
  #failures = 0;

  constructor({ firstMilliseconds = 1_000, maxMilliseconds = 60_000, random }: BackoffOptions) {
    this.#first = firstMilliseconds;
    this.#max = maxMilliseconds;
    this.#random = random;
  }

  /** How long to wait after one more failure. @param retryAfterSeconds what the centre has asked for */
  next(retryAfterSeconds = 0): number {
    const limit = Math.min(this.#max, this.#first * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 30);
    const asked = Math.min(retryAfterSeconds, maxRetryAfterSeconds) * 1_000;
    return Math.max(this.#random() * limit, asked * (1 + this.#random() / 10));
  }

  succeed(): void {
    this.#failures = 0;
  }
}
