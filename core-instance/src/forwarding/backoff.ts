const firstMilliseconds = 1_000;
const maxMilliseconds = 60_000;
/** A longer wait that somebody asks for, such as a proxy, is cut to this. */
const maxRetryAfterSeconds = 300;

/** Waits between attempts that grow and are spread at random, so that sites that lost the centre together do not come back together. */
export class Backoff {
  readonly #random: () => number;
  #failures = 0;

  /** @param random from 0 to 1 */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** How long to wait after one more failure. @param retryAfterSeconds what the centre has asked for */
  next(retryAfterSeconds = 0): number {
    const limit = Math.min(maxMilliseconds, firstMilliseconds * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 30);
    const asked = Math.min(retryAfterSeconds, maxRetryAfterSeconds) * 1_000;
    return Math.max(this.#random() * limit, asked * (1 + this.#random() / 10));
  }

  succeed(): void {
    this.#failures = 0;
  }
}
