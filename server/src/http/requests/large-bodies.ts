import { bodyLimitBytes } from '@muster/contract';

/**
 * Has large bodies worked on one after the other, in the order in which they came, and leaves everybody else as much
 * time after each as it took: one takes some 50 ms to parse and to check, many may be whole at the same moment, and Node
 * accepts one connection in each turn of its event loop. What may wait is bounded by BodyRoom.
 */
export class LargeBodies {
  #waiting: (() => void)[] = [];
  #isBusy = false;

  /** Calls it now, or later where the body is large. It may not throw. */
  takeTurn(body: Buffer, work: (body: Buffer) => void): void {
    if (body.length <= bodyLimitBytes) work(body);
    else if (this.#isBusy) this.#waiting.push(() => work(body));
    else this.#do(() => work(body));
  }

  #do(work: () => void): void {
    this.#isBusy = true;
    const startedAt = performance.now();
    work();
    // It never fires in the same turn, however short the time.
    setTimeout(() => this.#doNext(), performance.now() - startedAt);
  }

  #doNext(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isBusy = false;
    else this.#do(next);
  }
}
