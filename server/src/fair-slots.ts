interface FairSlotsOptions {
  readonly count: number;
  /** Most slots that one caller may hold. Absent: all. */
  readonly maxPerCaller?: number;
  /** Absent: any number may wait. */
  readonly maxWaiting?: number;
  readonly maxWaitingPerCaller?: number;
  readonly maxWaitMilliseconds: number;
}

interface Waiting {
  readonly caller: string;
  /** Grows with each one that waits. */
  readonly number: number;
  readonly settle: (outcome: GiveBack | NoSlot) => void;
}

/** To be called once. */
type GiveBack = () => void;

/** Too many wait, it took too long, or the caller has hung up. */
type NoSlot = 'none';

/** Where callers are not told apart. */
const anybody = '';

/**
 * Hands out a number of slots among callers, so that none of them can hold all, nor keep the others waiting by
 * asking more often: a slot that becomes free goes to whoever holds the fewest, of those to who waits longest.
 * Where callers are not told apart, they get slots in the order in which they ask.
 */
export class FairSlots {
  readonly #options: Required<FairSlotsOptions>;
  readonly #held = new Map<string, number>();
  /** By caller, in the order in which they asked. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  #waitingCount = 0;
  #lastNumber = 0;
  #free: number;

  constructor(options: FairSlotsOptions) {
    this.#options = {
      maxPerCaller: options.count,
      maxWaiting: Number.POSITIVE_INFINITY,
      maxWaitingPerCaller: Number.POSITIVE_INFINITY,
      ...options,
    };
    this.#free = options.count;
  }

  /** @param hangUp when it is aborted, the caller waits no more, but still takes what is free. */
  async take(caller: string = anybody, hangUp?: AbortSignal): Promise<GiveBack | NoSlot> {
    // Whoever waits already may not hold more: else it had been given what is free.
    if (this.#mayHold(caller)) return this.#hold(caller);
    return hangUp?.aborted === true || !this.#hasRoom(caller) ? 'none' : this.#wait(caller, hangUp);
  }

  #wait(caller: string, hangUp: AbortSignal | undefined): Promise<GiveBack | NoSlot> {
    return new Promise((resolve) => {
      const giveUp = (): void => waiting.settle('none');
      this.#lastNumber += 1;
      const waiting: Waiting = {
        caller,
        number: this.#lastNumber,
        settle: (outcome) => {
          clearTimeout(timer);
          hangUp?.removeEventListener('abort', giveUp);
          this.#remove(waiting);
          resolve(outcome);
        },
      };
      const timer = setTimeout(giveUp, this.#options.maxWaitMilliseconds);
      hangUp?.addEventListener('abort', giveUp);
      this.#add(waiting);
    });
  }

  #add(waiting: Waiting): void {
    const ofCaller = this.#waiting.get(waiting.caller) ?? new Set();
    this.#waiting.set(waiting.caller, ofCaller.add(waiting));
    this.#waitingCount += 1;
  }

  #remove(waiting: Waiting): void {
    const ofCaller = this.#waiting.get(waiting.caller);
    if (ofCaller?.delete(waiting) !== true) return;
    if (ofCaller.size === 0) this.#waiting.delete(waiting.caller);
    this.#waitingCount -= 1;
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
    for (const [caller, [first]] of this.#waiting) {
      if (first === undefined || !this.#mayHold(caller)) continue;
      if (next === undefined || this.#comesBefore(first, next)) next = first;
    }
    return next;
  }

  #comesBefore(one: Waiting, other: Waiting): boolean {
    const difference = this.#heldBy(one.caller) - this.#heldBy(other.caller);
    return difference === 0 ? one.number < other.number : difference < 0;
  }

  #mayHold(caller: string): boolean {
    return this.#free > 0 && this.#heldBy(caller) < this.#options.maxPerCaller;
  }

  #hasRoom(caller: string): boolean {
    const { maxWaiting, maxWaitingPerCaller } = this.#options;
    return this.#waitingCount < maxWaiting && (this.#waiting.get(caller)?.size ?? 0) < maxWaitingPerCaller;
  }

  #heldBy(caller: string): number {
    return this.#held.get(caller) ?? 0;
  }
}
