import { bodyLimitBytes } from '@muster/contract';

/**
 * Processes large bodies one after the other in their order of arrival, and pauses after each for as long as it took. One takes about 50 ms to parse
 * and check, many may arrive at the same moment, and Node accepts one connection in each turn of its event loop. BodyRoom limits how many can wait.
 */
export class LargeBodies {
  #waiting: (() => void)[] = [];
  #isBusy = false;

  /** Calls `work` now, or later if the body is large. `work` must not throw. */
  takeTurn(body: Buffer, work: (body: Buffer) => void): void {
    if (body.length <= bodyLimitBytes) work(body);
    else this.take(() => work(body));
  }

  /** The same for what is large although the body may be small. */
  take(work: () => void): void {
    if (this.#isBusy) this.#waiting.push(work);
    else this.#do(work);
  }

  #do(work: () => void): void {
    this.#isBusy = true;
    const startedAt = performance.now();
    work();
    // A timer never fires in the same turn, even with a delay of 0.
    setTimeout(() => this.#doNext(), performance.now() - startedAt);
  }

  #doNext(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isBusy = false;
    else this.#do(next);
  }
}
