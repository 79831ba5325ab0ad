import type { CallOptions, Page, PagedList } from '@muster/client';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import type { Topic } from './topics.ts';

const pageSize = 100;

interface PagedQuery<Row> {
  /** Begins with `projectKey`, and ends with the filters. */
  readonly queryKey: readonly unknown[];
  /** Events about these make it read again. */
  readonly topics: readonly Topic[];
  /** Calls the list operation of the SDK with a page of a size, after a cursor. */
  readonly list: (
    page: { readonly last: number; readonly before: string | undefined },
    options: CallOptions,
  ) => PagedList<Row>;
}

/** A list that is read page by page while somebody scrolls. While the filters change, the earlier rows stay. */
export function pagedQuery<Row>({ queryKey, topics, list }: PagedQuery<Row>) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => list({ last: pageSize, before: pageParam }, { signal }).first(),
    initialPageParam: undefined as string | undefined, // the type of the later ones
    getNextPageParam: ({ next }: Page<Row>) => next,
    placeholderData: keepPreviousData,
    meta: { topics },
  });
}
