interface AlertRunnerOptions {
  /** What is done in each run, in this order. */
  readonly steps: readonly (() => Promise<void>)[];
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly onFailure: (error: unknown) => void;
  /** Absent: 1 s. 0: only when a test asks for it. */
  readonly intervalMilliseconds?: number | undefined;
}

const usualIntervalMilliseconds = 1_000;

/** Looks once a second for what people have to be told, and sends it. Off the path of every request. */
export class AlertRunner {
  readonly #options: AlertRunnerOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #hasFailed = false;

  constructor(options: AlertRunnerOptions) {
    this.#options = options;
  }

  start(): void {
    const { intervalMilliseconds = usualIntervalMilliseconds } = this.#options;
    if (intervalMilliseconds > 0) this.#schedule(intervalMilliseconds);
  }

  /** One run at a time. @throws what a step throws */
  async run(): Promise<void> {
    await this.#running?.catch(() => undefined);
    this.#running ??= this.#runSteps().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#running?.catch(() => undefined);
    clearTimeout(this.#timer);
  }

  async #runSteps(): Promise<void> {
    for (const step of this.#options.steps) {
      if (!this.#options.closing.aborted) await step();
    }
  }

  #schedule(milliseconds: number): void {
    const { closing, onFailure } = this.#options;
    this.#timer = setTimeout(() => {
      this.run()
        .then(() => {
          this.#hasFailed = false;
        })
        .catch((error: unknown) => {
          // Reported once, not every second until the database is back.
          if (!this.#hasFailed && !closing.aborted) onFailure(error);
          this.#hasFailed = true;
        })
        .finally(() => {
          if (!closing.aborted) this.#schedule(milliseconds);
        });
    }, milliseconds).unref();
  }
}
