import { setTimeout as pause } from 'node:timers/promises';
import type { Clock, MonotonicClock } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import { deleteInPortions } from '../../foundation/database/delete-in-portions.ts';
import type { FoldedPortion, FoldRequest } from '../../foundation/folded-portion.ts';
import { JoinedRuns } from '../../foundation/scheduling/joined-runs.ts';
import { CountingPace } from './counting-pace.ts';
import { deleteEmptyGroups } from './empty-group-store.ts';
import { ErrorGroupIDs } from './error-group.ts';
import { foldPortionOnPostgres, type OnFolded } from './fold-store-postgres.ts';
import type { GroupingPortion, GroupingRequest } from './grouping.ts';
import { groupErrorsOnPostgres } from './grouping-store-postgres.ts';

interface ErrorGroupCounterOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly onFailure: (error: unknown) => void;
  /** Used on PostgreSQL. On SQLite, `sqlite-worker.ts` passes it to the procedure. */
  readonly onFolded?: OnFolded;
  /** On PostgreSQL: whether `onFolded` has something to do although no error has changed. */
  readonly hasMoreToNote?: () => Promise<boolean>;
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

const usualIntervalMilliseconds = 250;
/**
 * Changes of one group and agent are counted together, so a larger portion takes less time for each change: on PostgreSQL, those of a second in a storm.
 * Reports on SQLite wait for a portion (about 20 ms).
 */
const usualMaxChanges = { sqlite: 10_000, postgres: 40_000 };
/** Slow, so that portions that are too large stay rare. */
const growth = 9 / 8;
const groupedRows = 500;
const usualRetryMilliseconds = 10_000;
/** A commit takes 10 ms on a slow disk, and people look at once for what they have dismissed. */
const usualMaxReadWaitMilliseconds = 250;
/** In a storm, there are always new changes. */
const maxReadWaitInStormMilliseconds = 10;

/**
 * Counts the errors of groups: applies the queue of changes four times a second (once a second in a storm), and when counts are read. Every change
 * is counted exactly once, even if processes are killed, because it leaves the queue in the transaction that counts it.
 */
export class ErrorGroupCounter {
  readonly #options: ErrorGroupCounterOptions;
  readonly #maxChanges: number;
  readonly #groups = new ErrorGroupIDs();
  readonly #intervalMilliseconds: number;
  readonly #maxReadWaitMilliseconds: number;
  #timer: NodeJS.Timeout | undefined;
  #counting: Promise<unknown> = Promise.resolve();
  #grouping: Promise<unknown> = Promise.resolve();
  /** Counting for reads, which goes on when they have waited long enough. */
  readonly #reads = new JoinedRuns(() => this.#countForReads());
  #countedAt = 0;
  /** Turns to write on SQLite, when changes were last looked for. */
  #foldedTurns = -1;
  #isNoteWaiting = false;
  /** Fewer after a portion that failed, perhaps because it took too long. */
  #portionChanges: number;
  readonly #pace: CountingPace;

  constructor(options: ErrorGroupCounterOptions) {
    this.#options = options;
    this.#pace = new CountingPace(options.monotonic);
    this.#maxChanges = options.maxChanges ?? usualMaxChanges[options.database.engine];
    this.#portionChanges = this.#maxChanges;
    this.#intervalMilliseconds = options.intervalMilliseconds ?? usualIntervalMilliseconds;
    this.#maxReadWaitMilliseconds =
      options.maxReadWaitMilliseconds ??
      (this.#intervalMilliseconds === 0 ? Number.POSITIVE_INFINITY : usualMaxReadWaitMilliseconds);
  }

  /** Starts counting. First it groups the errors that earlier versions stored. */
  start(): void {
    if (this.#intervalMilliseconds === 0) return;
    this.#schedule();
    // Counting does not wait for this. Each grouped error adds a change, so the queue would grow until all are grouped.
    this.#grouping = this.#groupUntilDone();
  }

  /**
   * Counts what was committed before the call, for at most 250 ms, in a storm 10 ms: a portion that takes longer is finished in the background, and
   * the counts are those before it.
   */
  async catchUp(): Promise<CountedAt> {
    const hasEnded = await waitAtMost(this.#reads.run(), this.#maxReadWait());
    if (!hasEnded) this.#pace.noteLateRead();
    return { countedAt: this.#countedAt };
  }

  /** Counts until the queue is empty, or the service closes. */
  async drain(): Promise<void> {
    const { closing } = this.#options;
    for (let isDrained = false; !isDrained && !closing.aborted; ) {
      const portion = await this.#foldPortion(true);
      isDrained = portion?.isDrained ?? false;
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
    clearTimeout(this.#timer);
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

  #maxReadWait(): number {
    return this.#pace.isStorm() ? maxReadWaitInStormMilliseconds : this.#maxReadWaitMilliseconds;
  }

  /** Counts until the queue is empty, but for no longer than a read waits. */
  async #countForReads(): Promise<void> {
    const { clock, monotonic, onFailure } = this.#options;
    const startedAt = clock();
    const end = monotonic() + this.#maxReadWait();
    try {
      do {
        const portion = await this.#foldPortion(true);
        if (portion?.isDrained) {
          this.#countedAt = Math.max(this.#countedAt, startedAt);
          return;
        }
      } while (monotonic() < end);
      this.#pace.noteLateRead();
    } catch (error) {
      // No read may be waiting any more.
      onFailure(error);
      throw error;
    }
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#counting = this.#foldDue().then(() => {
        if (!this.#options.closing.aborted) this.#schedule();
      });
    }, this.#intervalMilliseconds).unref();
  }

  async #foldDue(): Promise<void> {
    const { clock, closing, onFailure } = this.#options;
    const startedAt = clock();
    const counts = this.#pace.countsInTurn();
    try {
      if (counts && !(await this.#mayHaveChanges())) return;
      // A turn without counting has not seen the changes so far.
      if (!counts) this.#foldedTurns = -1;
      let changes = 0;
      for (;;) {
        const portion = await this.#foldPortion(false, counts ? this.#portionChanges : 0);
        // Another replica is counting.
        if (portion === undefined || closing.aborted) return;
        changes += portion.changes;
        if (portion.isDrained) break;
      }
      if (!counts) return;
      this.#pace.noteCounted(changes);
      this.#countedAt = Math.max(this.#countedAt, startedAt);
    } catch (error) {
      this.#foldedTurns = -1;
      onFailure(error);
    }
  }

  /** Cheap, because most of the time nothing has changed. */
  async #mayHaveChanges(): Promise<boolean> {
    const { database } = this.#options;
    if (database.engine === 'sqlite') {
      const { writeTurns } = database.sqlite;
      if (writeTurns === this.#foldedTurns && !this.#isNoteWaiting) return false;
      // The next portion gets the next number.
      this.#foldedTurns = writeTurns + 1;
      return true;
    }
    const rows = await database.postgres.query('select 1 from agent_error_changes limit 1', []);
    return rows.length > 0 || ((await this.#options.hasMoreToNote?.()) ?? false);
  }

  /** @param maxChanges 0: only notes events */
  async #foldPortion(waits: boolean, maxChanges = this.#portionChanges): Promise<FoldedPortion | undefined> {
    const portion = await this.#applyPortion(waits, maxChanges).catch((error: unknown) => {
      if (maxChanges > 0) this.#portionChanges = Math.max(1, Math.floor(maxChanges / 2));
      throw error;
    });
    if (portion !== undefined) {
      if (maxChanges > 0) this.#portionChanges = Math.min(this.#maxChanges, Math.ceil(maxChanges * growth));
      this.#isNoteWaiting = portion.noted.isWaiting;
      if (portion.noted.written > 0) this.#options.onNoted?.(portion.noted.written);
    }
    return portion;
  }

  async #applyPortion(waits: boolean, maxChanges: number): Promise<FoldedPortion | undefined> {
    const { database, clock, heardSince, onFolded } = this.#options;
    const request: FoldRequest = {
      now: clock(),
      heardSince: heardSince?.() ?? 0,
      maxChanges,
    };
    switch (database.engine) {
      case 'sqlite':
        return (await database.sqlite.call('foldErrorChanges', request)) as FoldedPortion; // what the procedure answers
      case 'postgres':
        return foldPortionOnPostgres(database, request, { waits, onFolded });
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

/** Returns whether the work ended in this time. @throws what the work throws meanwhile */
async function waitAtMost(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const ended = work.then(() => true);
  if (milliseconds === Number.POSITIVE_INFINITY) return ended;
  const waiting = new AbortController();
  const over = pause(Math.max(0, milliseconds), false, { signal: waiting.signal, ref: false });
  over.catch(() => undefined);
  try {
    return await Promise.race([ended, over]);
  } finally {
    waiting.abort();
  }
}
