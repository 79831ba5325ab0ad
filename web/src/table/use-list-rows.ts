import type { Page } from '@muster/client';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
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
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  const fresh = useMemo(() => data?.pages.flatMap(({ items }) => items), [data]);
  const { shown, newCount, takeIn } = useSteadyRows(fresh, listKey, idOf);
  return {
    newCount,
    takeIn,
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
    },
  };
}
