import { maxItemAgeDays } from '@muster/contract';
import { maxJitterMilliseconds } from '../../foundation/clock.ts';
import type { ClaimedBatches } from './batch-store.ts';

const maxAgeMilliseconds = maxItemAgeDays * 86_400_000;

/** Corrects the times of a batch, in every attempt in the same way. */
export class BatchTimes {
  readonly #claimed: ClaimedBatches;
  #newestReportAt: number | null;

  constructor(claimed: ClaimedBatches) {
    this.#claimed = claimed;
    this.#newestReportAt = claimed.newest_report_at;
  }

  /** Of all reports so far, also those of earlier batches. Null: there was none. */
  get newestReportAt(): number | null {
    return this.#newestReportAt;
  }

  /** @param at by the clock of the site */
  of(at: number): number {
    const { attempted_at, attempt_offset_ms } = this.#claimed;
    return Math.min(attempted_at, Math.max(at - attempt_offset_ms, attempted_at - maxAgeMilliseconds));
  }

  /** The same for a report of an error: they keep their order over batches. */
  ofReport(at: number): number {
    const corrected = this.of(at);
    const { attempt_floor: floor } = this.#claimed;
    // A time that is earlier by more has another reason, and is kept.
    const isJitter = corrected < floor && floor - corrected <= maxJitterMilliseconds;
    const time = isJitter ? floor : corrected;
    this.#newestReportAt = Math.max(this.#newestReportAt ?? 0, time);
    return time;
  }
}
