interface Waiting {
  readonly since: number;
  readonly work: () => void;
}

interface TurnsOptions {
  /** Maximum number of requests started at once, in one turn of the event loop. */
  readonly maxConcurrent?: number;
  /** Further requests are refused. */
  readonly maxWaiting?: number;
  /** New requests are refused once the oldest one has waited for longer. */
  readonly maxWaitMilliseconds?: number;
  /** Milliseconds; only differences count. */
  readonly now?: () => number;
}

/** A slice of waiting requests takes as long as everything else took before it, within these bounds. */
const minTurnMilliseconds = 10;
const maxTurnMilliseconds = 50;

/**
 * Processes bursts in slices, and lets everything else run between them. Node reads all requests that have arrived
 * before it does anything else. With thousands of agents that takes long: meanwhile no commit would be
 * answered, the next commit would not begin, and operators would wait. Requests that arrive faster than they are processed are
 * refused at once. Half of the time goes to the requests that wait, so that refusals never take all of it.
 */
export class Turns {
  readonly #maxConcurrent: number;
  readonly #maxWaiting: number;
  readonly #maxWaitMilliseconds: number;
  readonly #now: () => number;
  #waiting: Waiting[] = [];
  /** Index of the first request in `#waiting` that has not been processed. */
  #next = 0;
  #doneAtOnce = 0;
  #isTurnSet = false;
  #lastTurnEndedAt = 0;

  constructor(options: TurnsOptions = {}) {
    this.#maxConcurrent = options.maxConcurrent ?? 256;
    this.#maxWaiting = options.maxWaiting ?? 10_000;
    this.#maxWaitMilliseconds = options.maxWaitMilliseconds ?? 500;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Calls `work` now or later, in the order of the calls, or `refuse` now. Neither may throw. */
  take(work: () => void, refuse: () => void): void {
    this.#setTurn();
    const first = this.#waiting[this.#next];
    if (first === undefined && this.#doneAtOnce < this.#maxConcurrent) {
      this.#doneAtOnce += 1;
      work();
      return;
    }
    const since = this.#now();
    const isLate = first !== undefined && since - first.since > this.#maxWaitMilliseconds;
    if (isLate || this.#waiting.length - this.#next >= this.#maxWaiting) refuse();
    else this.#waiting.push({ since, work });
  }

  /** After everything that can be read now was read. */
  #setTurn(): void {
    if (this.#isTurnSet) return;
    this.#isTurnSet = true;
    setImmediate(() => {
      this.#isTurnSet = false;
      this.#doneAtOnce = 0;
      this.#workOff();
    });
  }

  #workOff(): void {
    const startedAt = this.#now();
    const ofOthers = startedAt - this.#lastTurnEndedAt;
    const share = Math.min(Math.max(ofOthers, minTurnMilliseconds), maxTurnMilliseconds);
    for (let now = startedAt; now - startedAt < share; now = this.#now()) {
      const next = this.#waiting[this.#next];
      if (next === undefined) break;
      this.#next += 1;
      next.work();
    }
    this.#lastTurnEndedAt = this.#now();
    if (this.#next < this.#waiting.length) this.#setTurn();
    // Now and then: to move the rest each time would cost as much as the work.
    if (this.#next * 2 < this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
  }
}
