interface SpacedRefreshOptions {
  /** True if the centre has answered. */
  readonly refresh: () => Promise<boolean>;
  /** Never steps back. */
  readonly monotonic: () => number;
  /** Resolves after some milliseconds, or when all is over. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** What is not known here, which anybody can invent, makes the centre no more work than this. */
const minIntervalMilliseconds = 1_000;

/** Asks the centre at most once a second, for all who ask for that together. */
export class SpacedRefresh {
  readonly #options: SpacedRefreshOptions;
  #underWay: Promise<boolean> = Promise.resolve(false);
  /** Has not asked yet. */
  #next: Promise<boolean> | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(options: SpacedRefreshOptions) {
    this.#options = options;
  }

  /** The caller waits for a question that begins now, because what it asks for may be newer than the last answer. */
  run(): Promise<boolean> {
    this.#next ??= this.#underWay.then(async () => {
      const { monotonic, wait, refresh } = this.#options;
      const rest = minIntervalMilliseconds - (monotonic() - this.#lastAt);
      if (rest > 0) await wait(rest);
      this.#underWay = this.#next ?? this.#underWay;
      this.#next = undefined;
      this.#lastAt = monotonic();
      return refresh();
    });
    return this.#next;
  }
}
