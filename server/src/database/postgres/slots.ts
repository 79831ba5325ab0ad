interface Waiting {
  readonly take: () => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Hands out a number of slots, first come, first served. The driver's own pool has one time limit for waiting and
 * for connecting: with it, a fleet that registers at once would be refused within the time that a connection may take.
 */
export class Slots {
  readonly #longestWaitMilliseconds: number;
  readonly #waiting = new Set<Waiting>();
  #free: number;

  constructor(count: number, longestWaitMilliseconds: number) {
    this.#free = count;
    this.#longestWaitMilliseconds = longestWaitMilliseconds;
  }

  /**
   * Resolves when there is a slot for the caller, who must call what it gets, once.
   *
   * @throws Error (as a rejection) after the longest wait.
   */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait();
    let isHeld = true;
    return () => {
      if (isHeld) this.#giveBack();
      isHeld = false;
    };
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = {
        take: resolve,
        timer: setTimeout(() => {
          this.#waiting.delete(waiting);
          reject(new Error('no connection to the database became free in time'));
        }, this.#longestWaitMilliseconds),
      };
      this.#waiting.add(waiting);
    });
  }

  #giveBack(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    clearTimeout(next.timer);
    next.take();
  }
}
