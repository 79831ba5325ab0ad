import { MusterError } from '@muster/client';
import { type Query, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useTime } from '../parts/use-time.ts';

/** So long something may be read in vain before the screens say that it is old. */
const graceMilliseconds = 30_000;

type ReadQuery = Pick<Query, 'isActive' | 'meta'> & {
  readonly state: Pick<Query['state'], 'error' | 'dataUpdatedAt'>;
};

/** When the oldest of what is shown and could not be read again was read: ISO 8601. Undefined: what is shown is as new as events say. */
export function useUnreadSince(): string | undefined {
  const cache = useQueryClient().getQueryCache();
  const time = useTime();
  return useSyncExternalStore(cache.subscribe, () => unreadSince(cache.getAll(), time));
}

export function unreadSince(queries: readonly ReadQuery[], now: number): string | undefined {
  const times = queries
    .filter((query) => query.isActive() && query.meta?.topics !== undefined && isFailure(query.state.error))
    .map(({ state }) => state.dataUpdatedAt)
    // The screen itself says why something was never read.
    .filter((time) => time > 0 && now - time > graceMilliseconds);
  return times.length === 0 ? undefined : new Date(Math.min(...times)).toISOString();
}

/** False for an answer that says something of what is shown, such as that it was deleted. */
function isFailure(error: Error | null): boolean {
  return error instanceof MusterError ? error.status >= 500 || error.status === 429 : error !== null;
}
