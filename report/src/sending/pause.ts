/** Waits that can all be ended early, together. */
export class Pauses {
  readonly #ends = new Set<() => void>();
  #areOver = false;

  /** Resolves after the time, or when all waits are ended. */
  wait(milliseconds: number): Promise<void> {
    if (this.#areOver) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#ends.delete(end);
        resolve();
      };
      const timer = setTimeout(end, Math.min(milliseconds, maxTimerMilliseconds));
      this.#ends.add(end);
    });
  }

  /** Ends the waits of now. */
  cutShort(): void {
    for (const end of [...this.#ends]) end();
  }

  /** Ends all waits; later waits end at once. */
  endAll(): void {
    this.#areOver = true;
    this.cutShort();
  }
}

/** Limit of setTimeout: with a larger value it would not wait at all. */
const maxTimerMilliseconds = 2 ** 31 - 1;
