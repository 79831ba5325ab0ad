import { useElementSize, useMergedRef } from '@mantine/hooks';
import { type RefCallback, useCallback, useMemo, useState } from 'react';
import type { Column } from './column.ts';

/** Widths of a table in pixels, below which columns are left out. */
const minWidths = { sm: 480, md: 700, lg: 960 } as const;

/** The columns for which the table has room, and the ref of the element that is as wide as it. */
export function useVisibleColumns<Row>(columns: readonly Column<Row>[]): {
  readonly frame: RefCallback<HTMLDivElement>;
  readonly visible: readonly Column<Row>[];
  /** True: narrower than `sm`, as on a phone. */
  readonly isNarrow: boolean;
} {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [firstWidth, setFirstWidth] = useState(0);
  // Before the first picture is drawn, so that no column appears and goes again.
  const measure = useCallback((element: HTMLDivElement | null) => {
    if (element !== null) setFirstWidth(element.clientWidth);
  }, []);
  const known = width || firstWidth;
  // The same columns as before, so that rows do not render again.
  const visible = useMemo(
    () =>
      columns.filter(
        ({ hideBelow, onlyBelow }) =>
          (hideBelow === undefined || known >= minWidths[hideBelow]) &&
          (onlyBelow === undefined || known < minWidths[onlyBelow]),
      ),
    [columns, known],
  );
  return { frame: useMergedRef(ref, measure), visible, isNarrow: known > 0 && known < minWidths.sm };
}
