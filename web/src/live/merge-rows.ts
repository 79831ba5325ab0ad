/** A row as it is shown. */
export interface ShownRow<Row> {
  readonly row: Row;
  /** True if the newest answer does not contain it any more. It keeps its place until the reader takes in what is new. */
  readonly isGone: boolean;
}

export interface MergedRows<Row> {
  readonly shown: readonly ShownRow<Row>[];
  /** How many rows of the newest answer are not shown yet. */
  readonly newCount: number;
}

/**
 * Brings the rows that are shown up to date without moving any of them: values change in place, and rows that would appear above the last shown one are
 * only counted. Rows below it were asked for by scrolling, and are added.
 *
 * @param shown what is shown now, in its order
 * @param fresh the newest answer, in its order
 */
export function mergeRows<Row>(
  shown: readonly Row[],
  fresh: readonly Row[],
  idOf: (row: Row) => string,
): MergedRows<Row> {
  if (shown.length === 0) return { shown: fresh.map((row) => ({ row, isGone: false })), newCount: 0 };
  const freshByID = new Map(fresh.map((row) => [idOf(row), row]));
  const shownIDs = new Set(shown.map(idOf));
  const lastPlace = fresh.findLastIndex((row) => shownIDs.has(idOf(row)));
  const added = fresh.slice(lastPlace + 1).filter((row) => !shownIDs.has(idOf(row)));
  const newCount = fresh.slice(0, lastPlace + 1).filter((row) => !shownIDs.has(idOf(row))).length;
  // None of them is left: all of the answer is new.
  const isOther = lastPlace === -1;
  return {
    shown: [
      ...shown.map((row) => {
        const current = freshByID.get(idOf(row));
        return { row: current ?? row, isGone: current === undefined };
      }),
      ...(isOther ? [] : added.map((row) => ({ row, isGone: false }))),
    ],
    newCount: isOther ? added.length : newCount,
  };
}
