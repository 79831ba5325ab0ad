export interface GroupingRequest {
  readonly maxRows: number;
}

/** The number of errors that one transaction examined. */
export interface GroupingPortion {
  readonly rows: number;
  /** Whether all errors have their group by the current rules. */
  readonly isDone: boolean;
}
