import type { Report, ReportOutcome, StoreReports } from '../report.ts';
import { Backlog, type BacklogLimits, defaultBacklogLimits } from './backlog.ts';
import { takeBatch } from './take-batch.ts';

interface Waiting {
  readonly reports: readonly Report[];
  readonly since: number;
  readonly resolve: (outcomes: readonly ReportOutcome[]) => void;
  readonly reject: (error: unknown) => void;
}

interface IntakeOptions {
  readonly store: StoreReports;
  /** Maximum number of reports in one commit. */
  readonly batchSize?: number;
  /** Maximum number of batches that are sent to the database at a time; 1 if absent. No agent is ever in two of them. */
  readonly maxBatchesInFlight?: number;
  /**
   * For a database that commits one batch after the other: how long the commit of the last one took, in milliseconds, without its rows. Absent: the
   * database commits several batches together, and a commit is measured as a whole.
   */
  readonly lastCommitMilliseconds?: () => number;
  /** Limits on waiting reports. Further ones are refused with 503. */
  readonly limits?: Partial<BacklogLimits>;
  /** Milliseconds; only differences are used. */
  readonly now?: () => number;
}

/**
 * After a commit that took longer than this, the next one waits a moment for more reports: callers that were just answered send again, and join those
 * that arrived meanwhile. Otherwise, two halves of the callers would alternate forever, each in its own commits, and each commit costs as much as one
 * for all.
 */
const slowCommitMilliseconds = 3;
/** A report that has waited longer than this when a commit ends, for example because it stalled, is refused with 503. */
const maxWaitMilliseconds = 5_000;
/** Maximum wait of the next commit, as a share of the duration of the last one. */
const gatheringShare = 0.5;
const maxGatheringMilliseconds = 50;

/**
 * Below this number of reports or callers in each batch, two batches in flight cost more than they gain. Where batches are committed one after the
 * other, a commit of its own writes pages again that the one before has written.
 */
const minShare = { committedTogether: 16, committedOneByOne: 64 };

/**
 * Collects reports that arrive together into one durable commit. While one batch is committed, the next one is collected, so that batches grow with
 * the load and a single report does not wait for others.
 *
 * Where the database takes several batches at a time, the next one is sent while the last one commits, as soon as it is
 * as large. Reports of an agent that is in flight wait, so that the reports of an agent are stored one batch after the other.
 * Where the database commits one batch after the other, a second batch only waits nearer to it. That is worth an additional
 * commit only while commits are fast.
 */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #batchSize: number;
  readonly #maxInFlight: number;
  readonly #backlog: Backlog;
  readonly #now: () => number;
  readonly #queue: Waiting[] = [];
  readonly #agentsInFlight = new Set<string>();
  #callersInFlight = 0;
  #reportsInFlight = 0;
  #queuedReports = 0;
  /** Whether the last commit was slow. */
  #isSlow = false;
  /** True if everything that waited was of agents in flight, until one of their batches is stored. */
  #isBlocked = false;
  /** Each sends one batch after the other until nothing waits that it may send. */
  #senders = 0;
  #lastCommitAt = Number.NEGATIVE_INFINITY;
  #gathering: { readonly callers: number; readonly end: () => void } | undefined;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#batchSize = options.batchSize ?? 1_000;
    this.#maxInFlight = options.maxBatchesInFlight ?? 1;
    this.#backlog = new Backlog({ ...defaultBacklogLimits, ...options.limits });
    this.#now = options.now ?? (() => performance.now());
  }

  get waitingReports(): number {
    return this.#backlog.reports;
  }

  /** Checks for room before any work is done for this number of reports. @throws Refusal overloaded, as `submit` would */
  requireRoom(reports: number): void {
    const refusal = this.#backlog.refuse(reports);
    if (refusal !== undefined) throw refusal;
  }

  /**
   * Resolves when the reports are durable, with their outcomes in the same order.
   *
   * @throws Refusal overloaded (as a rejection) if too many reports wait, or if these have waited too long. Nothing was stored then.
   */
  submit(reports: readonly Report[]): Promise<readonly ReportOutcome[]> {
    const refusal = this.#backlog.refuse(reports.length);
    if (refusal !== undefined) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      this.#queue.push({ reports, since: this.#now(), resolve, reject });
      this.#queuedReports += reports.length;
      this.#backlog.add(reports);
      if (this.#queue.length === this.#gathering?.callers) this.#gathering.end();
      this.#startSender();
    });
  }

  #startSender(): void {
    const isWorthwhile =
      this.#senders === 0 ||
      (!this.#isBlocked && this.#reportsInFlight > 0 && this.#queuedReports >= this.#reportsInFlight);
    if (this.#senders >= this.#currentMaxInFlight || !isWorthwhile) return;
    this.#senders += 1;
    // After this turn's other requests were read, so that the first batch gathers too.
    setImmediate(() => void this.#send());
  }

  async #send(): Promise<void> {
    for (;;) {
      const batch = this.#takeBatch();
      if (batch.length === 0) break;
      const milliseconds = await this.#commit(batch);
      this.#refuseLate();
      this.#isSlow = milliseconds > slowCommitMilliseconds;
      if (!this.#isSlow || this.#backlog.reports >= this.#batchSize) continue;
      // Another sender collects for both.
      if (this.#gathering !== undefined) break;
      const expected = this.#queue.length + batch.length + this.#callersInFlight;
      const maximum = Math.min(milliseconds * gatheringShare, maxGatheringMilliseconds);
      await this.#gather(Math.max(this.#queue.length + 1, this.#shareOf(expected)), maximum);
    }
    this.#senders -= 1;
  }

  /** Returns its duration in milliseconds, without its rows where that is known. */
  async #commit(batch: readonly Waiting[]): Promise<number> {
    const reports = batch.flatMap((waiting) => waiting.reports);
    const agents = new Set(reports.map(({ agentID }) => agentID));
    for (const agentID of agents) this.#agentsInFlight.add(agentID);
    this.#callersInFlight += batch.length;
    this.#reportsInFlight += reports.length;
    this.#startSender();
    const startedAt = this.#now();
    try {
      const outcomes = await this.#options.store(reports);
      // A failed commit is not measured: it fails at once, or lasts as long as a timeout. While another one was in flight,
      // only the time since that one ended counts, because both were stored in the time before.
      this.#backlog.noteCommit(reports.length, this.#now() - Math.max(startedAt, this.#lastCommitAt));
      let from = 0;
      for (const waiting of batch) {
        const to = from + waiting.reports.length;
        waiting.resolve(outcomes.slice(from, to));
        from = to;
      }
    } catch (error) {
      for (const waiting of batch) waiting.reject(error);
    }
    for (const agentID of agents) this.#agentsInFlight.delete(agentID);
    this.#isBlocked = false;
    this.#callersInFlight -= batch.length;
    this.#reportsInFlight -= reports.length;
    this.#backlog.remove(reports);
    this.#lastCommitAt = this.#now();
    return this.#options.lastCommitMilliseconds?.() ?? this.#lastCommitAt - startedAt;
  }

  /** Waits until this number of callers wait, or until the time has passed. */
  #gather(callers: number, milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#gathering = undefined;
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      const endSoon = (): void => {
        clearTimeout(timer);
        // After this turn's other requests were read.
        setImmediate(end);
      };
      this.#gathering = { callers, end: endSoon };
    });
  }

  #takeBatch(): Waiting[] {
    const share = this.#shareOf(this.#queuedReports + this.#reportsInFlight);
    const batch = takeBatch(this.#queue, {
      maxReports: Math.min(share, this.#batchSize),
      isBusy: (agentID) => this.#agentsInFlight.has(agentID),
    });
    this.#queuedReports -= countReports(batch);
    this.#isBlocked = batch.length === 0 && this.#queue.length > 0;
    return batch;
  }

  /** How many of these reports or callers are for one batch, so that the batches in flight have about the same size. */
  #shareOf(count: number): number {
    const share = Math.ceil(count / this.#currentMaxInFlight);
    const least = this.#commitsOneByOne ? minShare.committedOneByOne : minShare.committedTogether;
    return share < least ? count : share;
  }

  get #currentMaxInFlight(): number {
    return this.#commitsOneByOne && this.#isSlow ? 1 : this.#maxInFlight;
  }

  get #commitsOneByOne(): boolean {
    return this.#options.lastCommitMilliseconds !== undefined;
  }

  /** Refuses reports that have waited too long: their clients have given up, or soon will. */
  #refuseLate(): void {
    const oldest = this.#now() - maxWaitMilliseconds;
    const firstInTime = this.#queue.findIndex(({ since }) => since >= oldest);
    const late = this.#queue.splice(0, firstInTime < 0 ? this.#queue.length : firstInTime);
    this.#queuedReports -= countReports(late);
    for (const { reports, reject } of late) {
      this.#backlog.remove(reports);
      reject(this.#backlog.nextRefusal());
    }
  }
}

function countReports(submitted: readonly Waiting[]): number {
  return submitted.reduce((sum, { reports }) => sum + reports.length, 0);
}
