/** Cleanup for the end of a run, whatever ends it; the newest first. */
export class Closing {
  readonly #actions = new Set<() => Promise<void>>();
  #closed: Promise<void> | undefined;

  get isClosing(): boolean {
    return this.#closed !== undefined;
  }

  /**
   * Registers a cleanup. Returns a function that runs it early; it runs only once, and all callers wait for it.
   *
   * @throws Error if it is too late to start anything.
   */
  add(action: () => void | Promise<void>): () => Promise<void> {
    if (this.#closed !== undefined) throw new Error('the run is ending');
    let done: Promise<void> | undefined;
    const once = () => {
      done ??= (async () => action())().finally(() => this.#actions.delete(once));
      return done;
    };
    this.#actions.add(once);
    return once;
  }

  /** A group that is closed no later than this one. */
  open(): Closing {
    const inner = new Closing();
    this.add(() => inner.close());
    return inner;
  }

  /** Runs all of it, even if parts fail. */
  close(): Promise<void> {
    this.#closed ??= this.#doAll();
    return this.#closed;
  }

  async #doAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const action of [...this.#actions].reverse()) {
      await action().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw new AggregateError(failures, 'what was started could not be ended');
  }
}
