import { FairSlots } from '../../scheduling/fair-slots.ts';
import { OverloadRefusals } from '../../scheduling/overload-refusals.ts';

/** BodyRoom does not count compressed bodies of ordinary size: so many of them take no more than the larger ones that it lets in. */
const slots = { count: 1, maxWaiting: 500, maxWaitingPerCaller: 200, maxWaitMilliseconds: 30_000 } as const;

interface LargeBody {
  /** Callers take turns. */
  readonly caller: string;
  /** When it is aborted, the body waits no more. */
  readonly hangUp: AbortSignal;
  /** Must not throw. */
  readonly work: () => void;
  readonly refuse: (error: Error) => void;
}

/**
 * Processes large bodies one after the other, by turns of their callers, and pauses after each for as long as it took. One takes about 50 ms to parse
 * and check, many may arrive at the same moment, and Node accepts one connection in each turn of its event loop.
 */
export class LargeBodies {
  readonly #slots = new FairSlots(slots);
  readonly #refusals = new OverloadRefusals();

  /** Calls `work` when it is its turn, or `refuse` if too many wait, it has waited for too long, or its sender is gone. */
  async take({ caller, hangUp, work, refuse }: LargeBody): Promise<void> {
    const giveBack = await this.#slots.take(caller, hangUp);
    if (giveBack === 'none') {
      refuse(this.#refusals.next());
      return;
    }
    const startedAt = performance.now();
    work();
    // A timer never fires in the same turn, even with a delay of 0.
    setTimeout(giveBack, performance.now() - startedAt);
  }
}
