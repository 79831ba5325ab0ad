import type { ReportTarget, SentBy } from '../spool/spooled-item.ts';

/** The last sign of life of an agent. */
export interface SignOfLife {
  readonly at: number;
  readonly by: SentBy;
  readonly target: ReportTarget;
  /** What a heartbeat said. */
  readonly heartbeat: Readonly<Record<string, unknown>>;
  /** The body of its last metrics. */
  readonly metrics?: Buffer | undefined;
}

/** Of all metrics that wait together: with the centre away, only that they came is kept. */
const maxMetricsBytes = 4 * 1024 * 1024;

/** The last sign of life of each agent that the centre does not have yet. An earlier one says nothing more than a later one. */
export class SignsOfLife {
  readonly #last = new Map<string, SignOfLife>();
  #metricsBytes = 0;

  get count(): number {
    return this.#last.size;
  }

  note(sign: SignOfLife): void {
    const key = keyOf(sign.target);
    const before = this.#last.get(key);
    const metrics = sign.metrics ?? before?.metrics;
    this.#metricsBytes += (metrics?.length ?? 0) - (before?.metrics?.length ?? 0);
    const heartbeat = { ...before?.heartbeat, ...sign.heartbeat };
    // The order is that of the last sign.
    this.#last.delete(key);
    this.#last.set(key, { ...sign, heartbeat, metrics });
    this.#dropMetrics();
  }

  /** Puts back what could not be sent, unless the agent was heard since. */
  putBack(signs: readonly SignOfLife[]): void {
    for (const sign of signs) {
      const key = keyOf(sign.target);
      if (this.#last.has(key)) continue;
      this.#last.set(key, sign);
      this.#metricsBytes += sign.metrics?.length ?? 0;
    }
    this.#dropMetrics();
  }

  /** Takes at most so many out, the oldest first. */
  take(count: number): SignOfLife[] {
    const taken: SignOfLife[] = [];
    for (const [key, sign] of this.#last) {
      if (taken.length >= count) break;
      this.#last.delete(key);
      this.#metricsBytes -= sign.metrics?.length ?? 0;
      taken.push(sign);
    }
    return taken;
  }

  #dropMetrics(): void {
    if (this.#metricsBytes <= maxMetricsBytes) return;
    for (const [key, sign] of this.#last) {
      if (sign.metrics === undefined) continue;
      this.#metricsBytes -= sign.metrics.length;
      this.#last.set(key, { ...sign, metrics: undefined });
      if (this.#metricsBytes <= maxMetricsBytes / 2) return;
    }
  }
}

function keyOf(target: ReportTarget): string {
  return 'agentID' in target ? `agent ${target.agentID}` : `machine ${target.machineID}`;
}
