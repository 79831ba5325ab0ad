/** The effect of a portion of changes on one group. */
export interface CountedGroup {
  readonly groupID: string;
  readonly projectID: string;
  /** The group is new: it had no errors before, or none within the retention time. */
  readonly isNew: boolean;
  /** The number of errors that were created open. */
  readonly createdCount: number;
  readonly dismissedCount: number;
  readonly reopenedCount: number;
  /** The newest created error; undefined if none was created or it no longer exists. */
  readonly newestErrorID: string | undefined;
  /** An error was created after all errors were dismissed. */
  readonly hasRegressed: boolean;
}

/** What else was done in the transaction of a portion, such as writing events. */
export interface NotedPortion {
  readonly written: number;
  /** More could be written at once, by the next portion. */
  readonly hasMore: boolean;
  /** On PostgreSQL: in these partitions. Absent: in any. */
  readonly moreIn?: readonly number[];
  /** Something is to be written a little later, even if no change comes. */
  readonly isWaiting: boolean;
}

export const nothingNoted: NotedPortion = { written: 0, hasMore: false, isWaiting: false };

/** The changes that the counter applied in one transaction. */
export interface CountedPortion {
  /** The number of rows taken from the queue. */
  readonly changes: number;
  /** Whether the queue had no further rows. */
  readonly isDrained: boolean;
  readonly groups: readonly CountedGroup[];
  readonly noted: NotedPortion;
  /** On PostgreSQL: those that no other replica was counting. */
  readonly partitions?: readonly CountedPartition[];
}

/** What a portion has done in one partition. */
export interface CountedPartition {
  readonly partition: number;
  readonly changes: number;
  readonly isDrained: boolean;
  /** Everything that was committed before this time is counted, in milliseconds, also if the queue has further rows. */
  readonly countedAt: number;
}

/** The time of a portion, and since when the service has listened to agents without a break. Both in milliseconds. */
export interface PortionMoment {
  readonly now: number;
  readonly heardSince: number;
}

/** On PostgreSQL, a portion has the changes of some partitions (`counting-partition.ts`), which it has locked. */
export interface PartitionsMoment extends PortionMoment {
  readonly partitions: readonly number[];
}

/** `now` is written into `superseded_at` too. */
export interface CountRequest extends PortionMoment {
  readonly maxChanges: number;
}
