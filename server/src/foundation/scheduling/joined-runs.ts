/**
 * Runs a task for any number of callers, one run after the other: those who call during a run share the next one. So each caller gets a run that began
 * after its call, and there is never more than one.
 */
export class JoinedRuns<Result = void> {
  readonly #task: () => Promise<Result>;
  #running: Promise<Result> | undefined;
  #next: Promise<Result> | undefined;

  constructor(task: () => Promise<Result>) {
    this.#task = task;
  }

  /** True if nobody waits for a run. */
  get isIdle(): boolean {
    return this.#running === undefined && this.#next === undefined;
  }

  /** @throws what this run of the task throws */
  run(): Promise<Result> {
    if (this.#next !== undefined) return this.#next;
    if (this.#running === undefined) return this.#begin();
    this.#next = this.#running.catch(() => undefined).then(() => this.#begin());
    return this.#next;
  }

  /** Waits for the runs that were asked for, also if they fail. */
  async end(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next]);
  }

  #begin(): Promise<Result> {
    this.#next = undefined;
    const running = this.#task().finally(() => {
      this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}
