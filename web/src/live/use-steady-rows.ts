import { useCallback, useState } from 'react';
import { type MergedRows, mergeRows } from './merge-rows.ts';

interface SteadyRows<Row> extends MergedRows<Row> {
  /** Shows the newest answer as it is. */
  takeIn(): void;
  /** Shows the next answer as it is, because the user has changed something. */
  takeInNext(): void;
}

interface Kept<Row> {
  readonly listKey: string;
  readonly rows: readonly Row[] | undefined;
  readonly merged: MergedRows<Row>;
  readonly takesNext: boolean;
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
  const [kept, setKept] = useState<Kept<Row>>(() => ({
    listKey,
    rows,
    merged: mergeRows([], rows ?? [], idOf),
    takesNext: false,
  }));
  let { merged } = kept;
  // React repeats the render at once with the new state, before anything is drawn.
  if (kept.listKey !== listKey || kept.rows !== rows) {
    const isAsItIs = kept.listKey !== listKey || kept.takesNext;
    merged = mergeRows(isAsItIs ? [] : merged.shown, rows ?? [], idOf);
    setKept({ listKey, rows, merged, takesNext: false });
  }
  const takeIn = () => setKept({ listKey, rows, merged: mergeRows([], rows ?? [], idOf), takesNext: false });
  const takeInNext = useCallback(() => setKept((before) => ({ ...before, takesNext: true })), []);
  return { ...merged, takeIn, takeInNext };
}
