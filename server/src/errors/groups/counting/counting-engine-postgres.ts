import type { Kysely } from 'kysely';
import type { CountedPortion, CountRequest } from '../../../foundation/counted-portion.ts';
import { countingPartitionOf, countingPartitions } from '../../../foundation/database/counting-partition.ts';
import type { PostgresDatabase } from '../../../foundation/database/database.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import { ErrorGroupIDs } from '../identity/error-group.ts';
import type { GroupingPortion, GroupingRequest } from '../identity/grouping.ts';
import { groupErrorsOnPostgres } from '../identity/grouping-store-postgres.ts';
import {
  countPortionOnPostgres,
  lockPartitions,
  type OnCounted,
  readPartition,
  readPartitions,
  type WaitingPartition,
} from './count-store-postgres.ts';
import type {
  Counting,
  CountingCall,
  CountingEngine,
  CountingTurns,
  PartitionOfStandby,
} from './counting-engine.ts';
import { isPaced } from './counting-pace.ts';
import type { PartitionCounter } from './partition-counter.ts';
import { QueueFloors } from './queue-floors.ts';

export interface PostgresCountingOptions {
  readonly onCounted?: OnCounted;
  /** The partitions in which `onCounted` has something to do although no error has changed. */
  readonly partitionsToNote?: (database: PostgresDatabase) => Promise<readonly number[]>;
}

/** Changes of one group and agent are counted together, so a larger portion takes less time for each change: those of a second in a storm. */
const usualMaxChanges = 40_000;
/** How long each partition is counted by itself after a failure. */
const apartMilliseconds = 10_000;

/** Counts by statements, which replicas run at the same time for different partitions of the projects. */
export class PostgresCounting implements CountingEngine {
  readonly partitions = countingPartitions;
  readonly usualMaxChanges = usualMaxChanges;
  readonly #database: PostgresDatabase;
  readonly #options: PostgresCountingOptions;
  readonly #groups = new ErrorGroupIDs();
  readonly #floors = new QueueFloors();

  constructor(database: PostgresDatabase, options: PostgresCountingOptions = {}) {
    this.#database = database;
    this.#options = options;
  }

  partitionOf(projectID: string | undefined): number | undefined {
    return projectID === undefined ? undefined : countingPartitionOf(projectID);
  }

  count(
    request: CountRequest,
    partitions: readonly number[],
    call: CountingCall,
  ): Promise<CountedPortion | undefined> {
    const { onCounted } = this.#options;
    return countPortionOnPostgres(
      this.#database,
      { ...request, partitions },
      { ...call, onCounted, floors: this.#floors },
    );
  }

  readStandby(standby: Kysely<Tables>, projectID: string): Promise<PartitionOfStandby> {
    return readPartition(standby, countingPartitionOf(projectID));
  }

  group(request: GroupingRequest): Promise<GroupingPortion> {
    return groupErrorsOnPostgres(this.#database, request, this.#groups);
  }

  async hold(trx: Kysely<Tables>, projectID: string): Promise<void> {
    await lockPartitions(trx, [countingPartitionOf(projectID)], 'wait');
  }

  createTurns(counting: Counting): CountingTurns {
    const { partitionsToNote = async () => [] } = this.#options;
    return new PostgresTurns(counting, {
      partitionsToNote: () => partitionsToNote(this.#database),
      readPartitions: () => readPartitions(this.#database, this.#floors),
    });
  }
}

/** A partition in which something waits. */
interface WaitingCounter extends Pick<WaitingPartition, 'hasChanges' | 'nextAt'> {
  readonly partition: PartitionCounter;
  readonly isToNote: boolean;
}

interface WaitingQueues {
  readonly partitionsToNote: () => Promise<readonly number[]>;
  readonly readPartitions: () => Promise<readonly WaitingPartition[]>;
}

class PostgresTurns implements CountingTurns {
  readonly #counting: Counting;
  readonly #queues: WaitingQueues;
  /** What was begun, of each partition. */
  readonly #turns = new Map<PartitionCounter, Promise<void>>();
  /** Until then, each partition is counted in a transaction of its own. */
  #apartUntil = Number.NEGATIVE_INFINITY;

  constructor(counting: Counting, queues: WaitingQueues) {
    this.#counting = counting;
    this.#queues = queues;
  }

  /** Begins to count the partitions in which something waits, and does not wait for the end of it: a storm may take longer than a turn. */
  async countDue(): Promise<void> {
    const { clock, monotonic } = this.#counting;
    const startedAt = clock();
    const isApart = monotonic() < this.#apartUntil;
    const calm: PartitionCounter[] = [];
    for (const waiting of await this.#readWaiting(startedAt)) {
      const { partition, hasChanges, isToNote, nextAt } = waiting;
      const counts = !hasChanges || !isPaced(nextAt, startedAt);
      if (!counts) partition.pace.noteStorm();
      if ((!counts && !isToNote) || this.#turns.has(partition)) continue;
      if (!isApart && !partition.pace.isStorm()) calm.push(partition);
      else this.#begin([partition], this.#countInPortions(partition, counts));
    }
    if (calm.length > 0) this.#begin(calm, this.#countTogether(calm));
  }

  async findWaiting(): Promise<readonly PartitionCounter[]> {
    const waiting = await this.#readWaiting(this.#counting.clock());
    return waiting.map(({ partition }) => partition);
  }

  async end(): Promise<void> {
    await Promise.all(this.#turns.values());
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
    const { closing, count, maxChanges, monotonic, onFailure } = this.#counting;
    try {
      for (let left = calm, portions = 1; left.length > 0 && !closing.aborted; portions += 1) {
        const portion = await count({
          partitions: left.map(({ number }) => number),
          maxChanges,
          caller: 'turns',
        });
        const counted = new Map(portion?.partitions?.map((one) => [one.partition, one]));
        left = left.filter((partition) => {
          const one = counted.get(partition.number);
          if (one === undefined) return false;
          partition.noteCountedAt(one.countedAt);
          partition.pace.noteCounted(one.changes);
          // Very many agents have changed, or events wait. The others are not to wait for the end of it.
          if (portions > 1 && portion?.noted.moreIn?.includes(one.partition)) partition.pace.noteStorm();
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
    const { closing, onFailure } = this.#counting;
    try {
      while (!closing.aborted) {
        const portion = await partition.countPortion(false, counts);
        if (portion === undefined) return;
        if (counts) partition.pace.noteCounted(portion.changes);
        if (portion.isDrained) return;
      }
    } catch (error) {
      onFailure(error);
    }
  }

  /** The partitions in which something waits. All others are counted up to the time of the call. */
  async #readWaiting(now: number): Promise<readonly WaitingCounter[]> {
    const toNote = new Set(await this.#queues.partitionsToNote());
    const waiting: WaitingCounter[] = [];
    for (const { part, hasChanges, countedAt, nextAt } of await this.#queues.readPartitions()) {
      const partition = this.#counting.partitions[part];
      if (partition === undefined) continue;
      const isToNote = toNote.has(part);
      const isWaiting = hasChanges || isToNote;
      // A time in the future says nothing: the clock of another replica may be ahead, or this one was.
      const known = countedAt > now ? 0 : countedAt;
      partition.noteCountedAt(isWaiting ? known : now);
      if (isWaiting) waiting.push({ partition, hasChanges, isToNote, nextAt });
    }
    return waiting;
  }
}
