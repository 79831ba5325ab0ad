/** Waits that can be cut short, all of one owner at once. */
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

  /** Ends what waits now. */
  cutShort(): void {
    for (const end of [...this.#ends]) end();
  }

  /** Ends what waits now, and no further wait takes any time. */
  endAll(): void {
    this.#areOver = true;
    this.cutShort();
  }
}

/** Of setTimeout; above it, it would not wait at all. */
const maxTimerMilliseconds = 2 ** 31 - 1;
