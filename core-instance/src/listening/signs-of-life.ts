import type { ReportTarget, SentBy } from '../spool/spooled-item.ts';

/** The last sign of life of an agent. */
export interface SignOfLife {
  readonly at: number;
  readonly by: SentBy;
  readonly target: ReportTarget;
  /** What a heartbeat said. */
  readonly heartbeat: Readonly<Record<string, unknown>>;
}

/** Any name of an agent makes one. Of those that were not heard for longest, the newest are kept. */
const maxSigns = 100_000;

/** The last sign of life of each agent that the centre does not have yet. An earlier one says nothing more than a later one. */
export class SignsOfLife {
  readonly #last = new Map<string, SignOfLife>();

  get count(): number {
    return this.#last.size;
  }

  note(sign: SignOfLife): void {
    const key = keyOf(sign.target);
    const before = this.#last.get(key);
    const heartbeat = { ...before?.heartbeat, ...sign.heartbeat };
    // The order is that of the last sign.
    this.#last.delete(key);
    this.#last.set(key, { ...sign, heartbeat });
    if (this.#last.size <= maxSigns) return;
    const [oldest] = this.#last.keys();
    if (oldest !== undefined) this.#last.delete(oldest);
  }

  /** Puts back what could not be sent, unless the agent was heard since. */
  putBack(signs: readonly SignOfLife[]): void {
    for (const sign of signs) {
      const key = keyOf(sign.target);
      if (!this.#last.has(key) && this.#last.size < maxSigns) this.#last.set(key, sign);
    }
  }

  /** Takes at most so many out, the oldest first. */
  take(count: number): SignOfLife[] {
    const taken: SignOfLife[] = [];
    for (const [key, sign] of this.#last) {
      if (taken.length >= count) break;
      this.#last.delete(key);
      taken.push(sign);
    }
    return taken;
  }
}

function keyOf(target: ReportTarget): string {
  return 'agentID' in target ? `agent ${target.agentID}` : `machine ${target.machineID}`;
}
