interface BackgroundOptions {
  /** In milliseconds. */
  readonly monotonic: () => number;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly onFailure: (error: unknown) => void;
}

/** What the service does by itself, again and again, off the path of every request. */
export class Background {
  readonly #options: BackgroundOptions;
  readonly #timers = new Map<symbol, NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();

  constructor(options: BackgroundOptions) {
    this.#options = options;
  }

  /**
   * Does `work` after this time, and again whenever it has ended for as long. Of failures that follow one another, the first is reported.
   *
   * @param pauseFactor the pause is at least so many times as long as the work took
   */
  every(milliseconds: number, work: () => Promise<unknown>, pauseFactor = 0): void {
    const { closing, onFailure, monotonic } = this.#options;
    const key = Symbol();
    let hasFailed = false;
    const run = async (): Promise<void> => {
      try {
        await work();
        hasFailed = false;
      } catch (error) {
        if (!hasFailed && !closing.aborted) onFailure(error);
        hasFailed = true;
      }
    };
    const schedule = (took: number): void => {
      if (closing.aborted) return;
      const pause = Math.max(milliseconds, pauseFactor * took);
      const timer = setTimeout(() => {
        const startedAt = monotonic();
        const running = run().finally(() => {
          this.#running.delete(running);
          schedule(monotonic() - startedAt);
        });
        this.#running.add(running);
      }, pause).unref();
      this.#timers.set(key, timer);
    };
    schedule(0);
  }

  /** Call it once the service closes. Resolves when nothing of it is under way. */
  async end(): Promise<void> {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all(this.#running);
  }
}
