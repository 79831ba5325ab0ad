interface Waiting {
  readonly since: number;
  readonly work: () => void;
}

interface TurnsOptions {
  /** Most that is worked off in a turn of the event loop. */
  readonly mostInTurn?: number;
  /** Beyond, what comes is refused at once. */
  readonly mostWaiting?: number;
  /** Nothing is let in while the first that waits has waited for longer. */
  readonly longestWaitMilliseconds?: number;
  /** Milliseconds; only differences count. */
  readonly now?: () => number;
}

/**
 * Works off what comes in masses a little in each turn of the event loop. Node reads everything that is there before
 * it looks at anything else, and with thousands of agents that takes long: meanwhile no commit would be answered, the
 * next one would not begin, and everybody else would wait. What comes faster than it is worked off is refused as it
 * comes: to let it wait and refuse it then would cost both its time and the service's.
 */
export class Turns {
  readonly #mostInTurn: number;
  readonly #mostWaiting: number;
  readonly #longestWaitMilliseconds: number;
  readonly #now: () => number;
  #waiting: Waiting[] = [];
  /** Of those that wait, the first whose turn has not come. */
  #next = 0;
  #doneInTurn = 0;
  #isTurnEnding = false;

  constructor(options: TurnsOptions = {}) {
    this.#mostInTurn = options.mostInTurn ?? 64;
    this.#mostWaiting = options.mostWaiting ?? 10_000;
    this.#longestWaitMilliseconds = options.longestWaitMilliseconds ?? 500;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Calls the first now or in a later turn, in the order in which they came, or the other one now. Neither may throw. */
  take(work: () => void, refuse: () => void): void {
    this.#endTurn();
    const first = this.#waiting[this.#next];
    if (first === undefined && this.#doneInTurn < this.#mostInTurn) {
      this.#doneInTurn += 1;
      work();
      return;
    }
    const since = this.#now();
    const isLate = first !== undefined && since - first.since > this.#longestWaitMilliseconds;
    if (isLate || this.#waiting.length - this.#next >= this.#mostWaiting) refuse();
    else this.#waiting.push({ since, work });
  }

  #endTurn(): void {
    if (this.#isTurnEnding) return;
    this.#isTurnEnding = true;
    setImmediate(() => {
      this.#isTurnEnding = false;
      this.#doneInTurn = 0;
      this.#workOff();
    });
  }

  #workOff(): void {
    for (let next = this.#takeNext(); next !== undefined; next = this.#takeNext()) next.work();
    if (this.#next < this.#waiting.length) this.#endTurn();
    // Now and then: to move the rest each time would cost as much as the work.
    if (this.#next * 2 < this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
  }

  /** Undefined when nothing waits, or this turn is over. */
  #takeNext(): Waiting | undefined {
    if (this.#doneInTurn === this.#mostInTurn) return undefined;
    const next = this.#waiting[this.#next];
    if (next === undefined) return undefined;
    this.#next += 1;
    this.#doneInTurn += 1;
    return next;
  }
}
