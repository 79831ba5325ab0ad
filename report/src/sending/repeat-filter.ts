const maxTexts = 1_000;

export interface RepeatFilterOptions {
  /** An equal text is let through again when so much time has passed. Infinity: never. */
  readonly intervalMilliseconds: number;
  /** Milliseconds. */
  readonly now: () => number;
}

/**
 * Holds back errors that were just let through: the service counts repeats, and one in a while tells it that a fault
 * lasts. A text that was dismissed there appears again within the interval.
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

  /** Lets each text through again. */
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
