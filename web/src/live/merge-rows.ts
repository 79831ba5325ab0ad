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
 * only counted. Rows below it were asked for by scrolling, and are added. Rows that have not changed keep their identity.
 *
 * @param shown what is shown now, in its order
 * @param fresh the newest answer, in its order
 */
export function mergeRows<Row>(
  shown: readonly ShownRow<Row>[],
  fresh: readonly Row[],
  idOf: (row: Row) => string,
): MergedRows<Row> {
  // While somebody scrolls through 100,000 rows, pages are added many times a second.
  if (isBeginning(shown, fresh))
    return { shown: [...shown, ...fresh.slice(shown.length).map(asShown)], newCount: 0 };
  const places = new Map(fresh.map((row, place) => [idOf(row), place]));
  let lastPlace = -1;
  let found = 0;
  const current = shown.map((before): ShownRow<Row> => {
    const place = places.get(idOf(before.row));
    const row = place === undefined ? undefined : fresh[place];
    if (place === undefined || row === undefined)
      return before.isGone ? before : { row: before.row, isGone: true };
    lastPlace = Math.max(lastPlace, place);
    found += 1;
    return row === before.row && !before.isGone ? before : { row, isGone: false };
  });
  // None of them is left: all of the answer is new.
  if (found === 0) return { shown: current, newCount: fresh.length };
  return {
    shown: [...current, ...fresh.slice(lastPlace + 1).map(asShown)],
    newCount: lastPlace + 1 - found,
  };
}

function isBeginning<Row>(shown: readonly ShownRow<Row>[], fresh: readonly Row[]): boolean {
  return (
    shown.length <= fresh.length && shown.every(({ row, isGone }, place) => !isGone && row === fresh[place])
  );
}

function asShown<Row>(row: Row): ShownRow<Row> {
  return { row, isGone: false };
}
