import type { Report, ReportOutcome, StoreReports } from '../report.ts';
import { Backlog, type BacklogLimits, defaultBacklogLimits } from './backlog.ts';

interface Waiting {
  readonly reports: readonly Report[];
  readonly since: number;
  readonly resolve: (outcomes: readonly ReportOutcome[]) => void;
  readonly reject: (error: unknown) => void;
}

interface IntakeOptions {
  readonly store: StoreReports;
  /** Most reports in one commit. */
  readonly batchSize?: number;
  /** What may wait; beyond, callers are told to come back. */
  readonly limits?: Partial<BacklogLimits>;
  /** Milliseconds; only differences count. */
  readonly now?: () => number;
}

/**
 * After a commit that took longer than this, the next one waits for company: those who were just answered send
 * again, and join those who came meanwhile. Otherwise they would take turns for ever, each half in commits of its
 * own, of which each costs as much as one for all.
 */
const slowCommitMilliseconds = 3;
/** A commit that stands still keeps others waiting; whose report waits for longer is told to come back. */
const maxWaitMilliseconds = 5_000;
/** Of the time that a commit takes: how long the next one waits at most. */
const gatheringShare = 0.5;
const maxGatheringMilliseconds = 50;

/**
 * Gathers reports that arrive together into one durable commit. While one batch is being committed the next one
 * gathers, so that the batches grow with the load and a single report never waits for company.
 */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #batchSize: number;
  readonly #backlog: Backlog;
  readonly #now: () => number;
  #queue: Waiting[] = [];
  #isDraining = false;
  #gathering: { readonly callers: number; readonly end: () => void } | undefined;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#batchSize = options.batchSize ?? 1_000;
    this.#backlog = new Backlog({ ...defaultBacklogLimits, ...options.limits });
    this.#now = options.now ?? (() => performance.now());
  }

  get waitingReports(): number {
    return this.#backlog.reports;
  }

  /** Tells before any work is done for so many reports. @throws Refusal overloaded, as `submit` would */
  requireRoom(reports: number): void {
    const refusal = this.#backlog.refuse(reports);
    if (refusal !== undefined) throw refusal;
  }

  /**
   * Resolves when the reports are durable, with their outcomes in the same order.
   *
   * @throws Refusal overloaded (as a rejection) when too much waits already, or when they have waited for too long:
   * nothing was stored.
   */
  submit(reports: readonly Report[]): Promise<readonly ReportOutcome[]> {
    const refusal = this.#backlog.refuse(reports.length);
    if (refusal !== undefined) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      this.#queue.push({ reports, since: this.#now(), resolve, reject });
      this.#backlog.add(reports);
      if (this.#queue.length === this.#gathering?.callers) this.#gathering.end();
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
      const milliseconds = await this.#commit(batch);
      this.#refuseLate();
      if (milliseconds > slowCommitMilliseconds && this.#backlog.reports < this.#batchSize) {
        const most = Math.min(milliseconds * gatheringShare, maxGatheringMilliseconds);
        await this.#gather(this.#queue.length + batch.length, most);
      }
    }
    this.#isDraining = false;
  }

  /** Answers how many milliseconds it took. */
  async #commit(batch: readonly Waiting[]): Promise<number> {
    const reports = batch.flatMap((waiting) => waiting.reports);
    const startedAt = this.#now();
    try {
      const outcomes = await this.#options.store(reports);
      // Of one that failed there is nothing to learn: it fails at once, or takes as long as a time limit.
      this.#backlog.noteCommit(reports.length, this.#now() - startedAt);
      let from = 0;
      for (const waiting of batch) {
        const to = from + waiting.reports.length;
        waiting.resolve(outcomes.slice(from, to));
        from = to;
      }
    } catch (error) {
      for (const waiting of batch) waiting.reject(error);
    }
    this.#backlog.remove(reports);
    return this.#now() - startedAt;
  }

  /** Waits until so many callers wait, or for a while. */
  #gather(callers: number, milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#gathering = undefined;
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      // After this turn's other requests were read.
      this.#gathering = { callers, end: () => setImmediate(end) };
    });
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

  /** Whoever has waited for that long has given up, or is about to: the work is for those who wait still. */
  #refuseLate(): void {
    const oldest = this.#now() - maxWaitMilliseconds;
    const firstInTime = this.#queue.findIndex(({ since }) => since >= oldest);
    const late = this.#queue.splice(0, firstInTime < 0 ? this.#queue.length : firstInTime);
    for (const { reports, reject } of late) {
      this.#backlog.remove(reports);
      reject(this.#backlog.nextRefusal());
    }
  }
}
