import { setTimeout as pause } from 'node:timers/promises';
import type { Clock, MonotonicClock } from '../../../foundation/clock.ts';
import type { Database, PostgresDatabase, SqliteDatabase } from '../../../foundation/database/database.ts';
import { deleteInPortions } from '../../../foundation/database/delete-in-portions.ts';
import { foldPartitionOf, foldPartitions } from '../../../foundation/database/fold-partition.ts';
import type { ListSource } from '../../../foundation/database/lists.ts';
import type { FoldedPortion, FoldRequest } from '../../../foundation/folded-portion.ts';
import { FairSlots } from '../../../foundation/scheduling/fair-slots.ts';
import { JoinedRuns } from '../../../foundation/scheduling/joined-runs.ts';
import { isPaced } from './counting-pace.ts';
import { deleteEmptyGroups } from './empty-group-store.ts';
import { ErrorGroupIDs } from './error-group.ts';
import {
  foldPortionOnPostgres,
  type OnFolded,
  readPartition,
  readPartitions,
  type WaitingPartition,
} from './fold-store-postgres.ts';
import type { GroupingPortion, GroupingRequest } from './grouping.ts';
import { groupErrorsOnPostgres } from './grouping-store-postgres.ts';
import { type FoldPortion, PartitionCounter, waitAtMost } from './partition-counter.ts';
import { countUncountedChanges } from './uncounted-changes-store.ts';

interface ErrorGroupCounterOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly onFailure: (error: unknown) => void;
  /** Used on PostgreSQL. On SQLite, `sqlite-worker.ts` passes it to the procedure. */
  readonly onFolded?: OnFolded;
  /** On PostgreSQL: the partitions in which `onFolded` has something to do although no error has changed. */
  readonly partitionsToNote?: () => Promise<readonly number[]>;
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

/** A partition in which something waits. */
interface WaitingCounter extends Pick<WaitingPartition, 'hasChanges' | 'nextAt'> {
  readonly partition: PartitionCounter;
  readonly isToNote: boolean;
}

const usualIntervalMilliseconds = 250;
/**
 * Changes of one group and agent are counted together, so a larger portion takes less time for each change: on PostgreSQL, those of a second in a storm.
 * Reports on SQLite wait for a portion (about 20 ms).
 */
const usualMaxChanges = { sqlite: 10_000, postgres: 40_000 };
/**
 * Portions of different partitions on PostgreSQL, each of which takes a connection. Those of storms, those of other projects and those that reads wait
 * for take at most half of the slots each, so none of them keeps the others waiting.
 */
const slots = { count: 4, maxPerCaller: 2, maxWaitMilliseconds: 4_000 };
/** How long each partition is counted by itself after a failure. */
const apartMilliseconds = 10_000;
const groupedRows = 500;
const usualRetryMilliseconds = 10_000;
/** A commit takes 10 ms on a slow disk, and people look at once for what they have dismissed. */
const usualMaxReadWaitMilliseconds = 250;
/**
 * Counts the errors of groups: applies the queue of changes four times a second (once a second in a storm), and when counts are read. Every change
 * is counted exactly once, even if processes are killed, because it leaves the queue in the transaction that counts it.
 */
export class ErrorGroupCounter {
  readonly #options: ErrorGroupCounterOptions;
  readonly #groups = new ErrorGroupIDs();
  readonly #intervalMilliseconds: number;
  readonly #maxChanges: number;
  readonly #slots = new FairSlots(slots);
  readonly #partitions: readonly [PartitionCounter, ...PartitionCounter[]];
  /** Counting of all partitions for reads. */
  readonly #reads = new JoinedRuns(() => this.#countAllForReads());
  #startedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #counting: Promise<unknown> = Promise.resolve();
  /** On PostgreSQL: what the timer has begun, of each partition. */
  readonly #turns = new Map<PartitionCounter, Promise<void>>();
  /** Until then, each partition is counted in a transaction of its own. */
  #apartUntil = Number.NEGATIVE_INFINITY;
  #grouping: Promise<unknown> = Promise.resolve();
  /** Turns to write on SQLite, when changes were last looked for. */
  #foldedTurns = -1;
  #isNoteWaiting = false;

  constructor(options: ErrorGroupCounterOptions) {
    this.#options = options;
    const { engine } = options.database;
    this.#intervalMilliseconds = options.intervalMilliseconds ?? usualIntervalMilliseconds;
    this.#maxChanges = options.maxChanges ?? usualMaxChanges[engine];
    const usualWait =
      this.#intervalMilliseconds === 0 ? Number.POSITIVE_INFINITY : usualMaxReadWaitMilliseconds;
    const counterOf = (partition: number) =>
      new PartitionCounter({
        ...options,
        partition,
        fold: (call) => this.#fold(call),
        maxChanges: this.#maxChanges,
        maxReadWaitMilliseconds: options.maxReadWaitMilliseconds ?? usualWait,
      });
    const others = engine === 'sqlite' ? 0 : foldPartitions - 1;
    this.#partitions = [counterOf(0), ...Array.from({ length: others }, (_, index) => counterOf(index + 1))];
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
   * @param projectID counts only for this project, so that no other one makes the caller wait
   */
  async catchUp(projectID?: string): Promise<CountedAt> {
    const partition = this.#partitionOf(projectID);
    if (partition !== undefined) {
      await partition.catchUp();
      return { countedAt: partition.countedAt };
    }
    const wait = Math.min(...this.#partitions.map(({ maxReadWait }) => maxReadWait));
    await waitAtMost(this.#reads.run(), wait);
    return { countedAt: this.countedAt };
  }

  /**
   * Up to when everything is counted in what a list reads, after `catchUp`. Call it before the list is read.
   *
   * @throws what makes the database itself be read, if a standby has a change by a user and not yet its counts
   */
  async countedIn({ db, standby }: CountedSource, projectID: string): Promise<number> {
    if (standby === undefined) return this.#partitionOf(projectID)?.countedAt ?? this.countedAt;
    const waiting = await readPartition(db, foldPartitionOf(projectID));
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
      for (const partition of await this.#partitionsToCount()) {
        const portion = await partition.foldPortion(true);
        isDrained &&= portion?.isDrained ?? false;
      }
    }
  }

  /** Assigns all errors to groups by the current rules. */
  async groupAll(): Promise<void> {
    const { closing } = this.#options;
    for (let isDone = false; !isDone && !closing.aborted; ) {
      ({ isDone } = await this.#groupPortion());
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
    await Promise.all(this.#turns.values());
    await Promise.all(this.#partitions.map((partition) => partition.end()));
    clearTimeout(this.#timer);
  }

  #partitionOf(projectID: string | undefined): PartitionCounter | undefined {
    if (this.#options.database.engine === 'sqlite') return this.#partitions[0];
    return projectID === undefined ? undefined : this.#partitions[foldPartitionOf(projectID)];
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
    const partitions = await this.#partitionsToCount();
    await Promise.all(partitions.map((partition) => partition.countForReads()));
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#counting = this.#foldDue().then(() => {
        if (!this.#options.closing.aborted) this.#schedule();
      });
    }, this.#intervalMilliseconds).unref();
  }

  async #foldDue(): Promise<void> {
    const { database, onFailure } = this.#options;
    try {
      if (database.engine === 'sqlite') await this.#foldDueOnSqlite(database);
      else await this.#beginDueOnPostgres(database);
    } catch (error) {
      this.#foldedTurns = -1;
      onFailure(error);
    }
  }

  async #foldDueOnSqlite({ sqlite: { writeTurns } }: SqliteDatabase): Promise<void> {
    const [partition] = this.#partitions;
    const counts = partition.pace.countsInTurn();
    if (counts) {
      // Most of the time, nothing has changed.
      if (writeTurns === this.#foldedTurns && !this.#isNoteWaiting) {
        partition.noteCountedAt(this.#options.clock());
        return;
      }
      // The next portion gets the next number.
      this.#foldedTurns = writeTurns + 1;
    } else {
      // A turn without counting has not seen the changes so far.
      this.#foldedTurns = -1;
    }
    let changes = 0;
    for (;;) {
      const portion = await partition.foldPortion(false, counts);
      if (portion === undefined || this.#options.closing.aborted) return;
      changes += portion.changes;
      if (portion.isDrained) break;
    }
    if (counts) partition.pace.noteCounted(changes);
  }

  /** Begins to count the partitions in which something waits, and does not wait for the end of it: a storm may take longer than a turn. */
  async #beginDueOnPostgres(database: PostgresDatabase): Promise<void> {
    const { clock, monotonic } = this.#options;
    const startedAt = clock();
    const isApart = monotonic() < this.#apartUntil;
    const calm: PartitionCounter[] = [];
    for (const waiting of await this.#waitingOnPostgres(database, startedAt)) {
      const { partition, hasChanges, isToNote, nextAt } = waiting;
      const counts = !hasChanges || !isPaced(nextAt, startedAt);
      if (!counts) partition.pace.noteStorm();
      if ((!counts && !isToNote) || this.#turns.has(partition)) continue;
      if (!isApart && !partition.pace.isStorm()) calm.push(partition);
      else this.#begin([partition], this.#countInPortions(partition, counts));
    }
    if (calm.length > 0) this.#begin(calm, this.#countTogether(calm));
  }

  #begin(partitions: readonly PartitionCounter[], turn: Promise<void>): void {
    const ended = turn.then(() => {
      for (const partition of partitions) this.#turns.delete(partition);
    });
    for (const partition of partitions) this.#turns.set(partition, ended);
  }

  /**
   * Counts the partitions that are in no storm: a transaction for each of them would take longer than what it counts. One that cannot be counted must not
   * keep the others waiting, so after a failure each is counted by itself for a while.
   */
  async #countTogether(calm: readonly PartitionCounter[]): Promise<void> {
    const { closing, monotonic, onFailure } = this.#options;
    try {
      for (let left = calm; left.length > 0 && !closing.aborted; ) {
        const portion = await this.#fold({
          partitions: left.map(({ number }) => number),
          maxChanges: this.#maxChanges,
          caller: 'turns',
        });
        const counted = new Map(portion?.partitions?.map((one) => [one.partition, one]));
        left = left.filter((partition) => {
          const one = counted.get(partition.number);
          if (one === undefined) return false;
          partition.noteCountedAt(one.countedAt);
          partition.pace.noteCounted(one.changes);
          return !one.isDrained && !partition.pace.isStorm();
        });
      }
    } catch (error) {
      this.#apartUntil = monotonic() + apartMilliseconds;
      onFailure(error);
    }
  }

  /** Between two portions, others get the slot. */
  async #countInPortions(partition: PartitionCounter, counts: boolean): Promise<void> {
    const { closing, onFailure } = this.#options;
    try {
      while (!closing.aborted) {
        const portion = await partition.foldPortion(false, counts);
        if (portion === undefined) return;
        if (counts) partition.pace.noteCounted(portion.changes);
        if (portion.isDrained) return;
      }
    } catch (error) {
      onFailure(error);
    }
  }

  /** The partitions in which something waits. All others are counted up to the time of the call. */
  async #waitingOnPostgres(database: PostgresDatabase, now: number): Promise<readonly WaitingCounter[]> {
    const toNote = new Set(await this.#options.partitionsToNote?.());
    const waiting: WaitingCounter[] = [];
    for (const { part, hasChanges, countedAt, nextAt } of await readPartitions(database)) {
      const partition = this.#partitions[part];
      if (partition === undefined) continue;
      const isToNote = toNote.has(part);
      const isWaiting = hasChanges || isToNote;
      // The clock of another replica may be ahead.
      partition.noteCountedAt(isWaiting ? Math.min(countedAt, now) : now);
      if (isWaiting) waiting.push({ partition, hasChanges, isToNote, nextAt });
    }
    return waiting;
  }

  async #partitionsToCount(): Promise<readonly PartitionCounter[]> {
    const { database, clock } = this.#options;
    if (database.engine === 'sqlite') return this.#partitions;
    const waiting = await this.#waitingOnPostgres(database, clock());
    return waiting.map(({ partition }) => partition);
  }

  async #fold(...[{ partitions, maxChanges, caller }]: Parameters<FoldPortion>): ReturnType<FoldPortion> {
    const { clock, closing, heardSince, onNoted } = this.#options;
    const giveBack = await this.#slots.take(caller, closing);
    if (giveBack === 'none') return undefined;
    try {
      const at = clock();
      const request = { now: at, heardSince: heardSince?.() ?? 0, maxChanges };
      const folded = await this.#applyPortion(request, partitions, caller === 'reads');
      if (folded === undefined) return undefined;
      this.#isNoteWaiting = folded.noted.isWaiting;
      if (folded.noted.written > 0) onNoted?.(folded.noted.written);
      return { ...folded, at };
    } finally {
      giveBack();
    }
  }

  async #applyPortion(
    request: FoldRequest,
    partitions: readonly number[],
    isRead: boolean,
  ): Promise<FoldedPortion | undefined> {
    const { database, onFolded } = this.#options;
    switch (database.engine) {
      case 'sqlite':
        return (await database.sqlite.call('foldErrorChanges', request)) as FoldedPortion; // what the procedure answers
      case 'postgres':
        return foldPortionOnPostgres(database, { ...request, partitions }, { isRead, onFolded });
    }
  }

  async #groupPortion(): Promise<GroupingPortion> {
    const { database } = this.#options;
    const request: GroupingRequest = { maxRows: groupedRows };
    switch (database.engine) {
      case 'sqlite':
        return (await database.sqlite.call('groupErrors', request)) as GroupingPortion; // what the procedure answers
      case 'postgres':
        return groupErrorsOnPostgres(database, request, this.#groups);
    }
  }
}
