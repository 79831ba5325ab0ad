interface RepeatedRunOptions {
  readonly work: () => Promise<void>;
  /** How long to wait after a run that took so long. 0: it runs only when it is asked to. */
  readonly pauseAfter: (milliseconds: number) => number;
  readonly monotonic: () => number;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly onFailure: (error: unknown) => void;
}

/** Does something again and again, off the path of every request. */
export class RepeatedRun {
  readonly #options: RepeatedRunOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #hasFailed = false;

  constructor(options: RepeatedRunOptions) {
    this.#options = options;
  }

  start(): void {
    this.#schedule(0);
  }

  /** One run at a time. @throws what the work throws */
  async run(): Promise<void> {
    await this.#running?.catch(() => undefined);
    this.#running ??= this.#options.work().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#running?.catch(() => undefined);
    clearTimeout(this.#timer);
  }

  #schedule(took: number): void {
    const { closing, onFailure, monotonic, pauseAfter } = this.#options;
    const pause = pauseAfter(took);
    if (pause === 0) return;
    this.#timer = setTimeout(() => {
      const startedAt = monotonic();
      this.run()
        .then(() => {
          this.#hasFailed = false;
        })
        .catch((error: unknown) => {
          // Reported once, not at each run until the database is back.
          if (!this.#hasFailed && !closing.aborted) onFailure(error);
          this.#hasFailed = true;
        })
        .finally(() => {
          if (!closing.aborted) this.#schedule(monotonic() - startedAt);
        });
    }, pause).unref();
  }
}
