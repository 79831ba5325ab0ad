export interface GroupingRequest {
  readonly maxRows: number;
}

/** Errors that one transaction has looked at. */
export interface GroupingPortion {
  readonly rows: number;
  /** All errors have the group that the present rules give them. */
  readonly isDone: boolean;
}
