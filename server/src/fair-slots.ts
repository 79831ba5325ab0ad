interface FairSlotsOptions {
  readonly count: number;
  /** Most slots that one caller may hold. */
  readonly mostOfOne: number;
  readonly mostWaiting: number;
  readonly mostWaitingOfOne: number;
  readonly longestWaitMilliseconds: number;
}

interface Waiting {
  readonly caller: string;
  readonly settle: (outcome: GiveBack | NoSlot) => void;
}

/** To be called once. */
type GiveBack = () => void;

/** Too many wait, it took too long, or the caller has hung up. */
type NoSlot = 'none';

/**
 * Hands out a number of slots among callers, so that none of them can hold all, nor keep the others waiting by
 * asking more often: a slot that becomes free goes to whoever holds the fewest, of those to who waits longest.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #held = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #free: number;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
    this.#free = options.count;
  }

  /** @param hangUp when it is aborted, the caller waits no more, but still takes what is free. */
  async take(caller: string, hangUp: AbortSignal): Promise<GiveBack | NoSlot> {
    // Whoever waits already may not hold more: else it had been given what is free.
    if (this.#mayHold(caller)) return this.#hold(caller);
    return hangUp.aborted || !this.#hasRoom(caller) ? 'none' : this.#wait(caller, hangUp);
  }

  #wait(caller: string, hangUp: AbortSignal): Promise<GiveBack | NoSlot> {
    return new Promise((resolve) => {
      const giveUp = (): void => waiting.settle('none');
      const waiting: Waiting = {
        caller,
        settle: (outcome) => {
          clearTimeout(timer);
          hangUp.removeEventListener('abort', giveUp);
          this.#waiting.delete(waiting);
          resolve(outcome);
        },
      };
      const timer = setTimeout(giveUp, this.#options.longestWaitMilliseconds);
      hangUp.addEventListener('abort', giveUp);
      this.#waiting.add(waiting);
    });
  }

  #hold(caller: string): GiveBack {
    this.#free -= 1;
    this.#held.set(caller, this.#heldBy(caller) + 1);
    let isHeld = true;
    return () => {
      if (isHeld) this.#giveBack(caller);
      isHeld = false;
    };
  }

  #giveBack(caller: string): void {
    this.#free += 1;
    const left = this.#heldBy(caller) - 1;
    if (left === 0) this.#held.delete(caller);
    else this.#held.set(caller, left);
    const next = this.#findNext();
    next?.settle(this.#hold(next.caller));
  }

  #findNext(): Waiting | undefined {
    let next: Waiting | undefined;
    for (const waiting of this.#waiting) {
      if (!this.#mayHold(waiting.caller)) continue;
      if (next === undefined || this.#heldBy(waiting.caller) < this.#heldBy(next.caller)) next = waiting;
    }
    return next;
  }

  #mayHold(caller: string): boolean {
    return this.#free > 0 && this.#heldBy(caller) < this.#options.mostOfOne;
  }

  #hasRoom(caller: string): boolean {
    const { mostWaiting, mostWaitingOfOne } = this.#options;
    if (this.#waiting.size >= mostWaiting) return false;
    let ofCaller = 0;
    for (const waiting of this.#waiting) if (waiting.caller === caller) ofCaller += 1;
    return ofCaller < mostWaitingOfOne;
  }

  #heldBy(caller: string): number {
    return this.#held.get(caller) ?? 0;
  }
}
