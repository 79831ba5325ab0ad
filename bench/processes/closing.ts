/** What has to be ended or removed, whichever way a run ends; the newest first. */
export class Closing {
  readonly #actions = new Set<() => Promise<void>>();
  #closed: Promise<void> | undefined;

  get isClosing(): boolean {
    return this.#closed !== undefined;
  }

  /**
   * Answers a function that does it now; it is done once, and whoever calls it waits for that.
   *
   * @throws Error when it is too late: nothing is started any more.
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

  /** One that is closed with this one at the latest. */
  open(): Closing {
    const inner = new Closing();
    this.add(() => inner.close());
    return inner;
  }

  /** Does everything, also when parts of it fail. */
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
