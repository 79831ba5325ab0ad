/** What a portion of changes did to one group. */
export interface FoldedGroup {
  readonly groupID: string;
  readonly projectID: string;
  /** The first errors of the group were created: there were none of it before, or none for the retention time. */
  readonly isNew: boolean;
  /** Errors that were created open, and how many were stored as dismissed since the group was muted. */
  readonly createdCount: number;
  readonly mutedCount: number;
  readonly dismissedCount: number;
  readonly reopenedCount: number;
  /** Of the errors that were created, the newest; undefined where none was, or it is gone by now. */
  readonly newestErrorID: string | undefined;
  /** All current errors are dismissed now, and were not before. */
  readonly isWhollyDismissed: boolean;
  /** An error was created after all were dismissed. */
  readonly hasRegressed: boolean;
}

/** What the folder applied in one transaction. */
export interface FoldedPortion {
  /** Rows of the queue. */
  readonly changes: number;
  /** Nothing else was to be seen in the queue. */
  readonly isDrained: boolean;
  readonly groups: readonly FoldedGroup[];
}

export interface FoldRequest {
  /** Milliseconds: when errors are found to be superseded. */
  readonly now: number;
  readonly maxChanges: number;
}
