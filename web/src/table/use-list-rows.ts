import type { Page } from '@muster/client';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useSteadyRows } from '../live/use-steady-rows.ts';

/**
 * What a table needs of a list that is read page by page: rows that do not jump when they are read again, and how to go on.
 *
 * @param listKey identifies the list with its filters
 */
export function useListRows<Row>(
  query: UseInfiniteQueryResult<InfiniteData<Page<Row>>>,
  listKey: string,
  idOf: (row: Row) => string,
) {
  const { data, error, hasNextPage, isFetchingNextPage, isPlaceholderData, fetchNextPage, refetch } = query;
  // While the filters change, the rows are those of the earlier list.
  const [shownKey, setShownKey] = useState(listKey);
  if (!isPlaceholderData && shownKey !== listKey) setShownKey(listKey);
  const fresh = useMemo(() => data?.pages.flatMap(({ items }) => items), [data]);
  const { shown, newCount, takeIn, takeInNext } = useSteadyRows(fresh, shownKey, idOf);
  return {
    /** For what is no table. A table shows it itself. */
    newCount,
    takeIn,
    takeInNext,
    /** For a table, as they are. */
    table: {
      rows: fresh === undefined ? undefined : shown,
      error,
      hasMore: hasNextPage,
      isLoadingMore: isFetchingNextPage,
      onEnd: () => {
        if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
      },
      onRetry: () => void refetch(),
      idOf,
      newCount,
      onTakeIn: takeIn,
    },
  };
}
