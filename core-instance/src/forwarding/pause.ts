/** A wait that ends early when something has happened, or when all is over. */
export class Pause {
  #end: (() => void) | undefined;
  #isOver = false;

  /** Resolves after the time, or when it is woken. */
  wait(milliseconds: number): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#end = undefined;
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      this.#end = end;
    });
  }

  wake(): void {
    this.#end?.();
  }

  /** Ends the wait, and all later ones at once. */
  endAll(): void {
    this.#isOver = true;
    this.#end?.();
  }
}
