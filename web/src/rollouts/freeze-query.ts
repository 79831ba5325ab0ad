import { getFreezeWindows } from '@muster/client';
import { queryOptions } from '@tanstack/react-query';
import { fleetsKey } from '../fleets/fleets-query.ts';
import { client } from '../service/client.ts';
import { rereadMilliseconds } from '../service/query-client.ts';

/** When no rollout of a project starts, and whether that is now. */
export function freezeQuery(projectID: string) {
  return queryOptions({
    queryKey: [...fleetsKey(projectID), 'freeze'],
    queryFn: ({ signal }) => getFreezeWindows(client, { projectID }, { signal }),
    meta: { topics: ['project'] },
    // No event tells that a freeze begins or ends.
    refetchInterval: rereadMilliseconds,
  });
}
