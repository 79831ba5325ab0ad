import type { ShownRow } from '../../live/merge-rows.ts';

/** The chosen agents whose rows are still in the list: others may run again. */
export function chosenOf(
  rows: readonly ShownRow<{ readonly id: string; readonly name: string }>[],
  ids: ReadonlySet<string>,
) {
  return rows.flatMap(({ row: { id, name }, isGone }) => (!isGone && ids.has(id) ? [{ id, name }] : []));
}
