import type { Kysely } from 'kysely';
import type { Clock, MonotonicClock } from '../../../foundation/clock.ts';
import type { CountedPortion, CountRequest } from '../../../foundation/counted-portion.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { GroupingPortion, GroupingRequest } from '../identity/grouping.ts';
import type { CountPortion, PartitionCounter } from './partition-counter.ts';

/** How an engine counts the errors of groups. */
export interface CountingEngine {
  /** Projects are divided among so many partitions, of which each is counted by itself. */
  readonly partitions: number;
  /** Usual maximum number of changes in a portion. */
  readonly usualMaxChanges: number;
  /** The partition in which a project is counted, or all of them if there is only one. Undefined: several. */
  partitionOf(projectID: string | undefined): number | undefined;
  /** Undefined: other calls are counting the partitions, of this replica or another one. */
  count(
    request: CountRequest,
    partitions: readonly number[],
    call: CountingCall,
  ): Promise<CountedPortion | undefined>;
  /** What a standby has of the partition of a project. Called only where there is one. */
  readStandby(standby: Kysely<Tables>, projectID: string): Promise<PartitionOfStandby>;
  group(request: GroupingRequest): Promise<GroupingPortion>;
  /** Keeps everybody from counting for a project until the transaction ends. Call it first: counting locks the rows after this. */
  hold(trx: Kysely<Tables>, projectID: string): Promise<void>;
  createTurns(counting: Counting): CountingTurns;
}

export interface CountingCall {
  /** It changes nothing about when the next turn counts. */
  readonly isRead: boolean;
  readonly onTaken?: ((changes: number) => void) | undefined;
}

export interface PartitionOfStandby {
  readonly hasChanges: boolean;
  /** Everything that was committed before is counted, in milliseconds. */
  readonly countedAt: number;
}

/** What turns count with. */
export interface Counting {
  readonly partitions: readonly [PartitionCounter, ...PartitionCounter[]];
  readonly count: CountPortion;
  readonly maxChanges: number;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly onFailure: (error: unknown) => void;
}

/** Counts several times a second. */
export interface CountingTurns {
  /** Counts what is due, or begins to. */
  countDue(): Promise<void>;
  /** The partitions in which something waits, or may. */
  findWaiting(): Promise<readonly PartitionCounter[]>;
  /** Waits for what has begun. */
  end(): Promise<void>;
}
