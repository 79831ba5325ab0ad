import { createContext, useContext } from 'react';

const tickMilliseconds = 15_000;
const minStepMilliseconds = 1_000;

/** The present, which all relative times on the screen share. It moves on while somebody looks. */
export class Now {
  readonly #listeners = new Set<() => void>();
  #time: number;
  #handle: number | undefined;

  constructor() {
    this.#time = Date.now();
  }

  readonly get = (): number => this.#time;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    this.#handle ??= window.setInterval(() => this.#tick(), tickMilliseconds);
    // What has just arrived may be younger than the last tick. Smaller steps would render every time on the screen again.
    if (Date.now() - this.#time > minStepMilliseconds) this.#time = Date.now();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      window.clearInterval(this.#handle);
      this.#handle = undefined;
    };
  };

  #tick(): void {
    this.#time = Date.now();
    for (const listener of this.#listeners) listener();
  }
}

const NowContext = createContext(new Now());

export function useNow(): Now {
  return useContext(NowContext);
}
