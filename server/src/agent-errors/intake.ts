import { Refusal } from '../refusal.ts';
import type { Report, ReportOutcome, StoreReports } from './report.ts';

interface Waiting {
  readonly reports: readonly Report[];
  readonly resolve: (outcomes: readonly ReportOutcome[]) => void;
  readonly reject: (error: unknown) => void;
}

interface IntakeOptions {
  readonly store: StoreReports;
  /** Most reports in one commit. */
  readonly batchSize?: number;
  /** Most reports that wait; beyond, callers are told to come back. */
  readonly mostWaiting?: number;
}

/**
 * Gathers reports that arrive together into one durable commit. While one batch is being committed the next one
 * gathers, so that the batches grow with the load and a single report never waits for company.
 */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #batchSize: number;
  readonly #mostWaiting: number;
  #queue: Waiting[] = [];
  #waitingReports = 0;
  #isDraining = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#batchSize = options.batchSize ?? 1_000;
    this.#mostWaiting = options.mostWaiting ?? 20_000;
  }

  get waitingReports(): number {
    return this.#waitingReports;
  }

  /**
   * Resolves when the reports are durable, with their outcomes in the same order.
   *
   * @throws Refusal overloaded (as a rejection) when too much waits already: nothing was stored.
   */
  submit(reports: readonly Report[]): Promise<readonly ReportOutcome[]> {
    if (this.#waitingReports + reports.length > this.#mostWaiting) {
      return Promise.reject(new Refusal('overloaded', { retryAfterSeconds: 2 }));
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ reports, resolve, reject });
      this.#waitingReports += reports.length;
      if (!this.#isDraining) {
        this.#isDraining = true;
        // After this turn's other requests were read, so that the first batch gathers too.
        setImmediate(() => void this.#drain());
      }
    });
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#takeBatch();
      const reports = batch.flatMap((waiting) => waiting.reports);
      const startedAt = performance.now();
      try {
        const outcomes = await this.#options.store(reports);
        let from = 0;
        for (const waiting of batch) {
          const to = from + waiting.reports.length;
          waiting.resolve(outcomes.slice(from, to));
          from = to;
        }
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
      this.#waitingReports -= reports.length;
      if (this.#queue.length > 0 && performance.now() - startedAt > slowCommitMilliseconds) await moment();
    }
    this.#isDraining = false;
  }

  #takeBatch(): Waiting[] {
    let count = 0;
    let size = 0;
    for (const waiting of this.#queue) {
      if (count > 0 && size + waiting.reports.length > this.#batchSize) break;
      count += 1;
      size += waiting.reports.length;
    }
    return this.#queue.splice(0, count);
  }
}

/**
 * Where commits take long, a moment before the next one is worth it: those who were just answered send again, and
 * join those who came meanwhile. Without it they would take turns for ever, each half in commits of its own.
 */
const slowCommitMilliseconds = 3;

function moment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}
