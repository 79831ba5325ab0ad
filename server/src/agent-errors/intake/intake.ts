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
  /** Most reports in one commit. */
  readonly batchSize?: number;
  /** How many batches may be on their way to the database at a time; 1 if absent. No agent is ever in two of them. */
  readonly maxBatchesInFlight?: number;
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

/** Smaller batches would cost more than it gains to have two of them in flight. */
const minSplitCallers = 16;

/**
 * Gathers reports that arrive together into one durable commit. While one batch is being committed the next one
 * gathers, so that the batches grow with the load and a single report never waits for company.
 *
 * Where the database takes several batches at a time, the next one is sent while the last one commits, as soon as it is
 * as large. Reports of an agent that is in flight wait, so that the reports of an agent are stored one batch after the other.
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
      this.#startSender();
    });
  }

  #startSender(): void {
    const isWorthwhile =
      this.#senders === 0 || (this.#callersInFlight > 0 && this.#queue.length >= this.#callersInFlight);
    if (this.#senders === this.#maxInFlight || !isWorthwhile) return;
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
      if (milliseconds <= slowCommitMilliseconds || this.#backlog.reports >= this.#batchSize) continue;
      // Another sender gathers for both.
      if (this.#gathering !== undefined) break;
      const expected = this.#queue.length + batch.length + this.#callersInFlight;
      const most = Math.min(milliseconds * gatheringShare, maxGatheringMilliseconds);
      await this.#gather(Math.max(this.#queue.length + 1, this.#shareOf(expected)), most);
    }
    this.#senders -= 1;
  }

  /** Answers how many milliseconds it took. */
  async #commit(batch: readonly Waiting[]): Promise<number> {
    const reports = batch.flatMap((waiting) => waiting.reports);
    const agents = new Set(reports.map(({ agentID }) => agentID));
    for (const agentID of agents) this.#agentsInFlight.add(agentID);
    this.#callersInFlight += batch.length;
    this.#startSender();
    const startedAt = this.#now();
    try {
      const outcomes = await this.#options.store(reports);
      // Of one that failed there is nothing to learn: it fails at once, or takes as long as a time limit. While another
      // one was in flight too, only the time since that one ended counts: in the time before, both were stored.
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
    this.#callersInFlight -= batch.length;
    this.#backlog.remove(reports);
    this.#lastCommitAt = this.#now();
    return this.#lastCommitAt - startedAt;
  }

  /** Waits until so many callers wait, or for a while. */
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
    return takeBatch(this.#queue, {
      maxReports: this.#batchSize,
      maxCallers: this.#shareOf(this.#queue.length + this.#callersInFlight),
      isBusy: (agentID) => this.#agentsInFlight.has(agentID),
    });
  }

  /** How many of these callers one batch takes, so that the batches in flight are about as large as each other. */
  #shareOf(callers: number): number {
    return Math.max(Math.ceil(callers / this.#maxInFlight), Math.min(callers, minSplitCallers));
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
