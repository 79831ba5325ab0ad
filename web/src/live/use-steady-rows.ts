import { useState } from 'react';
import { type MergedRows, mergeRows } from './merge-rows.ts';

interface SteadyRows<Row> extends MergedRows<Row> {
  /** Shows the newest answer as it is. */
  takeIn(): void;
}

/**
 * Rows of a list that do not jump while they are read.
 *
 * @param rows the newest answer; undefined while there is none
 * @param listKey identifies the list: with another one, all rows are others
 */
export function useSteadyRows<Row>(
  rows: readonly Row[] | undefined,
  listKey: string,
  idOf: (row: Row) => string,
): SteadyRows<Row> {
  const [kept, setKept] = useState({ listKey, rows, merged: mergeRows([], rows ?? [], idOf) });
  const isOtherList = kept.listKey !== listKey;
  let { merged } = kept;
  // React repeats the render at once with the new state, before anything is drawn.
  if (isOtherList || kept.rows !== rows) {
    const before = isOtherList ? [] : merged.shown.map(({ row }) => row);
    merged = mergeRows(before, rows ?? [], idOf);
    setKept({ listKey, rows, merged });
  }
  return {
    ...merged,
    takeIn: () => setKept({ listKey, rows, merged: mergeRows([], rows ?? [], idOf) }),
  };
}
