/** A wait that ends early when all is over. */
export class Pause {
  #end: (() => void) | undefined;
  #isOver = false;

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

  /** Ends the wait, and all later ones at once. */
  endAll(): void {
    this.#isOver = true;
    this.#end?.();
  }
}
