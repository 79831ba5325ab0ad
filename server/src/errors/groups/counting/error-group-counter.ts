import { setTimeout as pause } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Clock, MonotonicClock } from '../../../foundation/clock.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { deleteInPortions } from '../../../foundation/database/delete-in-portions.ts';
import type { ListSource } from '../../../foundation/database/lists.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import { Refusal } from '../../../foundation/refusal.ts';
import { FairSlots } from '../../../foundation/scheduling/fair-slots.ts';
import { JoinedRuns } from '../../../foundation/scheduling/joined-runs.ts';
import type { CountingEngine, CountingTurns } from './counting-engine.ts';
import { deleteEmptyGroups } from './empty-group-store.ts';
import { type CountPortion, PartitionCounter, waitAtMost } from './partition-counter.ts';
import { countUncountedChanges } from './uncounted-changes-store.ts';

interface ErrorGroupCounterOptions {
  readonly database: Database;
  readonly engine: CountingEngine;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly onFailure: (error: unknown) => void;
  /** Called with the number of events, after the commit of a portion that wrote some. */
  readonly onNoted?: (written: number) => void;
  /** Since when the service has listened to agents, in milliseconds. Absent: always. */
  readonly heardSince?: () => number;
  readonly maxChanges?: number;
  /** Default: 250. 0: count only when counts are read. */
  readonly intervalMilliseconds?: number | undefined;
  /** The maximum time that a read waits for the counts, except in a storm. Default: 250; without limit if nothing counts in the background. */
  readonly maxReadWaitMilliseconds?: number;
  /** How long grouping waits after a failure. */
  readonly retryMilliseconds?: number;
}

/** How up to date the counts of groups are. */
export interface CountedAt {
  /** The counts include everything that was committed before this time, in milliseconds. */
  readonly countedAt: number;
}

/** Of a list, or the turn of a search. */
type CountedSource = Pick<ListSource, 'db'> & Partial<Pick<ListSource, 'standby'>>;

const usualIntervalMilliseconds = 250;
/**
 * Portions of different partitions on PostgreSQL, each of which takes a connection. Those of storms, those of other projects and those that reads wait
 * for take at most half of the slots each, so none of them keeps the others waiting.
 */
const slots = { count: 4, maxPerCaller: 2, maxWaitMilliseconds: 4_000 };
const groupedRows = 500;
const usualRetryMilliseconds = 10_000;
/** A commit takes 10 ms on a slow disk, and people look at once for what they have dismissed. */
const usualMaxReadWaitMilliseconds = 250;
const maxWholeWaitMilliseconds = 5_000;
const wholeRetryMilliseconds = 50;

/**
 * Counts the errors of groups: applies the queue of changes four times a second (once a second in a storm), and when counts are read. Every change
 * is counted exactly once, even if processes are killed, because it leaves the queue in the transaction that counts it.
 */
export class ErrorGroupCounter {
  readonly #options: ErrorGroupCounterOptions;
  readonly #engine: CountingEngine;
  readonly #turns: CountingTurns;
  readonly #intervalMilliseconds: number;
  readonly #slots = new FairSlots(slots);
  readonly #partitions: readonly [PartitionCounter, ...PartitionCounter[]];
  /** Counting of all partitions for reads. */
  readonly #reads = new JoinedRuns(() => this.#countAllForReads());
  #startedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #counting: Promise<unknown> = Promise.resolve();
  #grouping: Promise<unknown> = Promise.resolve();
  constructor(options: ErrorGroupCounterOptions) {
    const { engine } = options;
    this.#options = options;
    this.#engine = engine;
    this.#intervalMilliseconds = options.intervalMilliseconds ?? usualIntervalMilliseconds;
    const maxChanges = options.maxChanges ?? engine.usualMaxChanges;
    const count: CountPortion = (call) => this.#count(call);
    const usualWait =
      this.#intervalMilliseconds === 0 ? Number.POSITIVE_INFINITY : usualMaxReadWaitMilliseconds;
    const counterOf = (partition: number) =>
      new PartitionCounter({
        ...options,
        partition,
        count,
        maxChanges,
        maxReadWaitMilliseconds: options.maxReadWaitMilliseconds ?? usualWait,
      });
    const others = Array.from({ length: engine.partitions - 1 }, (_, index) => counterOf(index + 1));
    this.#partitions = [counterOf(0), ...others];
    this.#turns = engine.createTurns({ ...options, partitions: this.#partitions, count, maxChanges });
  }

  /** Up to when everything is counted, of all projects, in milliseconds. */
  get countedAt(): number {
    return Math.min(...this.#partitions.map(({ countedAt }) => countedAt));
  }

  /**
   * How long ago everything was counted, of all projects; since the start at the earliest, because nothing is known of what was before. 0 if it counts
   * only when counts are read.
   */
  get lagMilliseconds(): number {
    if (this.#startedAt === undefined) return 0;
    return Math.max(0, this.#options.clock() - Math.max(this.countedAt, this.#startedAt));
  }

  /** How many changes wait to be counted, of all projects and replicas. */
  readUncounted(): Promise<number> {
    return countUncountedChanges(this.#options.database);
  }

  /** Starts counting. First it groups the errors that earlier versions stored. */
  start(): void {
    if (this.#intervalMilliseconds === 0) return;
    this.#startedAt = this.#options.clock();
    this.#schedule();
    // Counting does not wait for this. Each grouped error adds a change, so the queue would grow until all are grouped.
    this.#grouping = this.#groupUntilDone();
  }

  /**
   * Counts what was committed before the call, for at most 250 ms, in a storm 10 ms: a portion that takes longer is finished in the background, and
   * the counts are those before it.
   *
   * @param projectID counts only for this project, so that no other one makes the caller wait. Without one, each storm is waited for 10 ms, and all else 250 ms
   */
  async catchUp(projectID?: string): Promise<CountedAt> {
    const partition = this.#partitionOf(projectID);
    if (partition !== undefined) {
      await partition.catchUp();
      return { countedAt: partition.countedAt };
    }
    const wait = Math.max(...this.#partitions.map(({ maxReadWait }) => maxReadWait));
    await waitAtMost(this.#reads.run(), wait);
    return { countedAt: this.countedAt };
  }

  /**
   * Counts everything that was committed before the call.
   *
   * @throws Refusal overloaded if that takes some seconds, as in a storm that another replica counts
   */
  async catchUpWholly(projectID: string): Promise<void> {
    const { clock, closing, monotonic } = this.#options;
    const startedAt = clock();
    const end = monotonic() + maxWholeWaitMilliseconds;
    while ((await this.catchUp(projectID)).countedAt < startedAt) {
      if (closing.aborted || monotonic() >= end) throw new Refusal('overloaded', { retryAfterSeconds: 5 });
      // If counting fails, it fails at once.
      await pause(wholeRetryMilliseconds);
    }
  }

  /** Keeps all replicas from counting for a project until the transaction ends. Call it first in the transaction. */
  hold(trx: Kysely<Tables>, projectID: string): Promise<void> {
    return this.#engine.hold(trx, projectID);
  }

  /**
   * Up to when everything is counted in what a list reads, after `catchUp`. Call it before the list is read.
   *
   * @throws what makes the database itself be read, if a standby has a change by a user and not yet its counts
   */
  async countedIn({ db, standby }: CountedSource, projectID: string): Promise<number> {
    if (standby === undefined) return this.#partitionOf(projectID)?.countedAt ?? this.countedAt;
    const waiting = await this.#engine.readStandby(db, projectID);
    if (!waiting.hasChanges) return standby.asOf;
    const countedAt = Math.min(waiting.countedAt, standby.asOf);
    if (standby.changedAt !== undefined && countedAt <= standby.changedAt) throw standby.tooOld();
    return countedAt;
  }

  /** Counts until the queue is empty, or the service closes. */
  async drain(): Promise<void> {
    const { closing } = this.#options;
    for (let isDrained = false; !isDrained && !closing.aborted; ) {
      isDrained = true;
      for (const partition of await this.#turns.findWaiting()) {
        const portion = await partition.countPortion(true);
        isDrained &&= portion?.isDrained ?? false;
      }
    }
  }

  /** Assigns all errors to groups by the current rules. */
  async groupAll(): Promise<void> {
    const { closing } = this.#options;
    for (let isDone = false; !isDone && !closing.aborted; ) {
      ({ isDone } = await this.#engine.group({ maxRows: groupedRows }));
    }
  }

  /** Removes groups without errors that were last seen before a time, in milliseconds, and groups of deleted projects. */
  async removeEmpty(before: number): Promise<void> {
    const { database, clock, closing } = this.#options;
    await deleteInPortions(closing, (limit) => deleteEmptyGroups(database, before, clock(), limit));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await Promise.all([this.#counting, this.#grouping, this.#reads.end()]);
    await this.#turns.end();
    await Promise.all(this.#partitions.map((partition) => partition.end()));
    clearTimeout(this.#timer);
  }

  #partitionOf(projectID: string | undefined): PartitionCounter | undefined {
    const partition = this.#engine.partitionOf(projectID);
    return partition === undefined ? undefined : this.#partitions[partition];
  }

  /** The database may be out of reach for a while. */
  async #groupUntilDone(): Promise<void> {
    const { closing, onFailure, retryMilliseconds = usualRetryMilliseconds } = this.#options;
    while (!closing.aborted) {
      try {
        return await this.groupAll();
      } catch (error) {
        onFailure(error);
        // It rejects only when the service closes.
        await pause(retryMilliseconds, undefined, { signal: closing, ref: false }).catch(() => undefined);
      }
    }
  }

  async #countAllForReads(): Promise<void> {
    const partitions = await this.#turns.findWaiting();
    await Promise.all(
      partitions.map((partition) => waitAtMost(partition.countForReads(), partition.maxReadWait)),
    );
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#counting = this.#countDue().then(() => {
        if (!this.#options.closing.aborted) this.#schedule();
      });
    }, this.#intervalMilliseconds).unref();
  }

  async #countDue(): Promise<void> {
    try {
      await this.#turns.countDue();
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  async #count(...[call]: Parameters<CountPortion>): ReturnType<CountPortion> {
    const { clock, closing, heardSince, onNoted } = this.#options;
    const { partitions, maxChanges, caller, onTaken } = call;
    const giveBack = await this.#slots.take(caller, closing);
    if (giveBack === 'none') return undefined;
    try {
      const at = clock();
      const request = { now: at, heardSince: heardSince?.() ?? 0, maxChanges };
      const counted = await this.#engine.count(request, partitions, { isRead: caller === 'reads', onTaken });
      if (counted === undefined) return undefined;
      if (counted.noted.written > 0) onNoted?.(counted.noted.written);
      return { ...counted, at };
    } finally {
      giveBack();
    }
  }
}
