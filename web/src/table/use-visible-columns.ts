import { useMediaQuery } from '@mantine/hooks';
import type { Column } from './column.ts';

/** The columns for which the screen has room. */
export function useVisibleColumns<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  const options = { getInitialValueInEffect: false } as const;
  const fits = {
    sm: useMediaQuery('(min-width: 640px)', true, options),
    md: useMediaQuery('(min-width: 900px)', true, options),
    lg: useMediaQuery('(min-width: 1200px)', true, options),
  };
  return columns.filter(({ hideBelow }) => hideBelow === undefined || fits[hideBelow]);
}
