const maxTexts = 1_000;

export interface RepeatFilterOptions {
  /** An equal text passes again after this time. Infinity: never. */
  readonly intervalMilliseconds: number;
  /** Milliseconds. */
  readonly now: () => number;
}

/**
 * Holds back an error that was reported a short time ago. One report per interval is enough for the service to know
 * that the fault continues. An error that was dismissed there appears again within one interval.
 */
export class RepeatFilter {
  readonly #options: RepeatFilterOptions;
  /** Least recently let through first. */
  readonly #passedAt = new Map<string, number>();

  constructor(options: RepeatFilterOptions) {
    this.#options = options;
  }

  /** True where the text is to be reported. */
  passes(text: string): boolean {
    const now = this.#options.now();
    const passedAt = this.#passedAt.get(text);
    if (passedAt !== undefined && now - passedAt < this.#options.intervalMilliseconds) return false;
    this.#passedAt.delete(text);
    this.#passedAt.set(text, now);
    if (this.#passedAt.size > maxTexts) this.#forgetOldest();
    return true;
  }

  /** Every text passes again. */
  forget(): void {
    this.#passedAt.clear();
  }

  #forgetOldest(): void {
    for (const text of this.#passedAt.keys()) {
      this.#passedAt.delete(text);
      return;
    }
  }
}
