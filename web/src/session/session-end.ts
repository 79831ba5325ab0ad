/** Whether the session has ended. Screens stay as they are below the dialog that says so. */
export class SessionEnd {
  #hasEnded = false;
  readonly #listeners = new Set<() => void>();

  readonly hasEnded = (): boolean => this.#hasEnded;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  note(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const listener of this.#listeners) listener();
  }
}
