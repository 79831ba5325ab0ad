/**
 * Runs a task for any number of callers, one run after the other: those who call during a run share the next one. So each caller gets a run that began
 * after its call, and there is never more than one.
 */
export class JoinedRuns {
  readonly #task: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(task: () => Promise<void>) {
    this.#task = task;
  }

  /** @throws what this run of the task throws */
  run(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    if (this.#running === undefined) return this.#begin();
    this.#next = this.#running.catch(() => undefined).then(() => this.#begin());
    return this.#next;
  }

  /** Waits for the runs that were asked for, also if they fail. */
  async end(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next]);
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    const running = this.#task().finally(() => {
      this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}
