/** What has to be ended or removed, whichever way a run ends; the newest first. */
export class Closing {
  readonly #actions = new Set<() => Promise<void>>();

  /** Answers a function that does it now; it is done once. */
  add(action: () => void | Promise<void>): () => Promise<void> {
    const once = async () => {
      if (this.#actions.delete(once)) await action();
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
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const action of [...this.#actions].reverse()) {
      await action().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw new AggregateError(failures, 'what was started could not be ended');
  }
}
