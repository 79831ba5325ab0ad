/** The outcomes of the reports. */
export class Statistics {
  /** How long the agents reported in total. */
  seconds = 0;
  /** Heartbeats that were accepted. */
  heartbeats = 0;
  stored = 0;
  ignored = 0;
  /** Requests without an answer. */
  unanswered = 0;
  /** Number of refusals by status. */
  readonly refused = new Map<number, number>();
  readonly latencies = new Latencies();

  get sent(): number {
    return this.stored + this.ignored + this.refusedInAll + this.unanswered;
  }

  get refusedInAll(): number {
    return [...this.refused.values()].reduce((sum, count) => sum + count, 0);
  }

  countRefusal(status: number): void {
    this.refused.set(status, (this.refused.get(status) ?? 0) + 1);
  }
}

/** Each bucket is wider than the one before by this factor, which limits the error of percentiles. */
const growth = 1.01;
const minMilliseconds = 0.01;

/** A histogram of durations, whose size does not grow with their number. */
class Latencies {
  readonly #counts: number[] = [];
  #total = 0;

  add(milliseconds: number): void {
    const bucket = Math.max(0, Math.round(Math.log(milliseconds / minMilliseconds) / Math.log(growth)));
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#total += 1;
  }

  /** The duration that this share of all durations does not exceed; undefined if there are none. */
  percentile(share: number): number | undefined {
    let left = Math.ceil(this.#total * share);
    for (const [bucket, count = 0] of this.#counts.entries()) {
      left -= count;
      if (count > 0 && left <= 0) return minMilliseconds * growth ** bucket;
    }
    return undefined;
  }
}
