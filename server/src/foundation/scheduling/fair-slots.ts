interface FairSlotsOptions {
  readonly count: number;
  /** Maximum number of slots of one caller. Absent: all. */
  readonly maxPerCaller?: number;
  /** Maximum number of waiting calls. Absent: no limit. */
  readonly maxWaiting?: number;
  readonly maxWaitingPerCaller?: number;
  readonly maxWaitMilliseconds: number;
}

interface Waiting {
  readonly caller: string;
  readonly settle: (outcome: GiveBack | NoSlot) => void;
}

/** Call it once. */
type GiveBack = () => void;

/** Too many calls wait, the wait took too long, or the caller has hung up. */
type NoSlot = 'none';

/** The name of all callers that are not distinguished. */
const anybody = '';

/**
 * Distributes a fixed number of slots fairly among callers. No caller can hold all slots, or delay the others by asking more often: a free slot goes
 * to the waiting caller that holds the fewest, and among equal callers to the one that has waited longest since it got one. Callers without a name get
 * slots in the order of their calls.
 */
export class FairSlots {
  readonly #options: Required<FairSlotsOptions>;
  readonly #held = new Map<string, number>();
  /** By caller, in the order in which they asked. Whoever gets a slot and waits for more comes last. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  #waitingCount = 0;
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

  /** @param hangUp when it is aborted, the caller no longer waits, but still takes a free slot. */
  async take(caller: string = anybody, hangUp?: AbortSignal): Promise<GiveBack | NoSlot> {
    // A caller that already waits has reached its limit, otherwise it would have got the free slot.
    if (this.#mayHold(caller)) return this.#hold(caller);
    return hangUp?.aborted === true || !this.#hasRoom(caller) ? 'none' : this.#wait(caller, hangUp);
  }

  #wait(caller: string, hangUp: AbortSignal | undefined): Promise<GiveBack | NoSlot> {
    return new Promise((resolve) => {
      const giveUp = (): void => waiting.settle('none');
      const waiting: Waiting = {
        caller,
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
    if (next === undefined) return;
    next.settle(this.#hold(next.caller));
    const others = this.#waiting.get(next.caller);
    if (others === undefined) return;
    this.#waiting.delete(next.caller);
    this.#waiting.set(next.caller, others);
  }

  #findNext(): Waiting | undefined {
    let next: Waiting | undefined;
    for (const [caller, [first]] of this.#waiting) {
      if (first === undefined || !this.#mayHold(caller)) continue;
      if (next === undefined || this.#heldBy(caller) < this.#heldBy(next.caller)) next = first;
    }
    return next;
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
