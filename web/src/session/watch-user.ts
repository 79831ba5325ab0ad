import type { QueryClient } from '@tanstack/react-query';
import { meQuery } from './session-queries.ts';

/**
 * Calls `onOther` when the session of the browser belongs to somebody else than before: another tab has signed out and in again. What this tab shows was
 * read for the earlier user, and what is done in it would be done as the new one.
 */
export function watchUser(queries: QueryClient, onOther: () => void): void {
  let first: string | undefined;
  queries.getQueryCache().subscribe(({ type }) => {
    if (type !== 'updated') return;
    const id = queries.getQueryData(meQuery.queryKey)?.id;
    first ??= id;
    if (id !== undefined && id !== first) onOther();
  });
}
