import { setTimeout as pause } from 'node:timers/promises';
import type { Clock, MonotonicClock } from '../../../foundation/clock.ts';
import type { CountedPortion } from '../../../foundation/counted-portion.ts';
import { JoinedRuns } from '../../../foundation/scheduling/joined-runs.ts';
import { CountingPace } from './counting-pace.ts';

/** Whose portions share the slots on PostgreSQL: those that reads wait for, those of partitions in a storm, and all others. */
type CountCaller = 'reads' | 'storms' | 'turns';

interface PortionCall {
  readonly partitions: readonly number[];
  /** 0: only notes events. */
  readonly maxChanges: number;
  readonly caller: CountCaller;
  /** Called with the number of changes before they are counted, on PostgreSQL. */
  readonly onTaken?: (changes: number) => void;
}

interface TimedPortion extends CountedPortion {
  /** When it began, in milliseconds. */
  readonly at: number;
}

/** Undefined: other calls are counting the partitions, of this replica or another one, or all slots were taken. */
export type CountPortion = (call: PortionCall) => Promise<TimedPortion | undefined>;

interface PartitionCounterOptions {
  readonly partition: number;
  readonly count: CountPortion;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly onFailure: (error: unknown) => void;
  readonly maxChanges: number;
  readonly maxReadWaitMilliseconds: number;
}

/** Slow, so that portions that are too large stay rare. */
const growth = 9 / 8;
/** In a storm, there are always new changes. */
const maxReadWaitInStormMilliseconds = 10;
/** How often a read looks whether the partition is counted by nobody else any more. */
const retryMilliseconds = 10;

/** Counts the changes of a partition: on SQLite, of all projects. */
export class PartitionCounter {
  readonly pace: CountingPace;
  readonly #options: PartitionCounterOptions;
  /** Counting for reads, which goes on when they have waited long enough. */
  readonly #reads = new JoinedRuns(() => this.#countForReads());
  #countedAt = 0;
  /** Fewer after a portion that failed, perhaps because it took too long. */
  #portionChanges: number;

  constructor(options: PartitionCounterOptions) {
    this.#options = options;
    this.pace = new CountingPace(options.monotonic);
    this.#portionChanges = options.maxChanges;
  }

  get number(): number {
    return this.#options.partition;
  }

  /** The counts include everything that was committed before this time, in milliseconds. */
  get countedAt(): number {
    return this.#countedAt;
  }

  noteCountedAt(time: number): void {
    // What was noted before the clock was set back lies in the future.
    this.#countedAt = Math.max(Math.min(this.#countedAt, this.#options.clock()), time);
  }

  /** How long a read waits for the counts. */
  get maxReadWait(): number {
    return this.pace.isStorm() ? maxReadWaitInStormMilliseconds : this.#options.maxReadWaitMilliseconds;
  }

  /** Counts what was committed before the call, for as long as a read waits. A portion that takes longer is finished in the background. */
  async catchUp(): Promise<void> {
    const hasEnded = await waitAtMost(this.countForReads(), this.maxReadWait);
    if (!hasEnded) this.pace.noteStorm();
  }

  /** The same, and waits for the last portion. */
  countForReads(): Promise<void> {
    return this.#reads.run();
  }

  /**
   * Undefined as for `CountPortion`.
   *
   * @param counts false: only notes events
   */
  async countPortion(isRead: boolean, counts = true): Promise<CountedPortion | undefined> {
    const { count, maxChanges, partition } = this.#options;
    const changes = this.#portionChanges;
    const caller = this.pace.isStorm() ? 'storms' : 'turns';
    let taken = changes;
    const counted = count({
      partitions: [partition],
      maxChanges: counts ? changes : 0,
      caller: isRead ? 'reads' : caller,
      onTaken(known) {
        taken = Math.min(known, changes);
      },
    });
    const portion = await counted.catch((error: unknown) => {
      if (counts) this.#portionChanges = Math.max(1, Math.floor(taken / 2));
      throw error;
    });
    if (portion === undefined || !counts) return portion;
    this.#portionChanges = Math.min(maxChanges, Math.ceil(changes * growth));
    this.noteCountedAt(portion.isDrained ? portion.at : (portion.partitions?.[0]?.countedAt ?? 0));
    return portion;
  }

  async end(): Promise<void> {
    await this.#reads.end();
  }

  /** Counts until the queue is empty, but for no longer than a read waits. */
  async #countForReads(): Promise<void> {
    const { closing, monotonic, onFailure } = this.#options;
    const end = monotonic() + this.maxReadWait;
    try {
      do {
        const portion = await this.countPortion(true);
        if (portion?.isDrained) return;
        // To wait for the lock instead would take a connection and a slot, which other projects need.
        if (portion === undefined) await pause(retryMilliseconds);
      } while (monotonic() < end && !closing.aborted);
      this.pace.noteStorm();
    } catch (error) {
      // No read may be waiting any more.
      onFailure(error);
      throw error;
    }
  }
}

/** Returns whether the work ended in this time. @throws what the work throws meanwhile */
export async function waitAtMost(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
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
