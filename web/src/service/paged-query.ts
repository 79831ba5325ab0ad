import type { CallOptions, Page, PagedList } from '@muster/client';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { endAsKept, type KeptPages, pageToKeep } from './page-reuse.ts';
import type { Topic } from './topics.ts';

const pageSize = 100;
/** Page size after the first page of a long list, so that scrolling does not wait. */
const longPageSize = 200;

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
  /** Rows change without an event, such as when something was last seen: read again as often while somebody looks. */
  readonly refetchInterval?: number;
  /** Of a list of any length whose rows never change their order: only the pages that somebody looks at are read again. */
  readonly long?: LongList<Row>;
}

export interface LongList<Row> {
  readonly idOf: (row: Row) => string;
  /** Tells whether somebody looks at a row of the page. */
  readonly isShown: (page: Page<Row>) => boolean;
  /** Called with a page that was not read again. */
  readonly onKept: (page: Page<Row>) => void;
}

/** A list that is read page by page while somebody scrolls. While the filters change, the earlier rows stay. */
export function pagedQuery<Row>({ queryKey, topics, list, long, refetchInterval }: PagedQuery<Row>) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: async ({ pageParam, signal, client }): Promise<Page<Row>> => {
      const last = long === undefined || pageParam === undefined ? pageSize : longPageSize;
      const read = () => list({ last, before: pageParam }, { signal }).first();
      if (long === undefined) return read();
      const kept = client.getQueryData<KeptPages<Row>>(queryKey);
      const isShown = (index: number) => {
        const page = kept?.pages[index];
        return page !== undefined && long.isShown(page);
      };
      const page = pageToKeep(kept, pageParam, isShown);
      if (page === undefined) return endAsKept(kept, pageParam, await read(), long.idOf);
      long.onKept(page);
      return page;
    },
    initialPageParam: undefined as string | undefined, // the type of the later ones
    getNextPageParam: ({ next }: Page<Row>) => next,
    placeholderData: keepPreviousData,
    // A comparison of every row with itself takes longer than a frame.
    structuralSharing: long === undefined,
    meta: { topics },
    ...(refetchInterval === undefined ? {} : { refetchInterval }),
  });
}
