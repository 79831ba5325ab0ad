import { getFreezeWindows, listRollouts, type Rollout } from '@muster/client';
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

/** Of each fleet the newest rollout, if it goes on or was stopped. All at once, because one that waits for somebody may be the oldest. */
export function incompleteRolloutsQuery(projectID: string) {
  return queryOptions({
    queryKey: [...fleetsKey(projectID), 'incomplete-rollouts'],
    queryFn: async ({ signal }) => {
      const rollouts: Rollout[] = [];
      const query = { projectID, incomplete: true, last: 100 };
      for await (const rollout of listRollouts(client, query, { signal })) rollouts.push(rollout);
      return rollouts;
    },
    meta: { topics: ['fleets'] },
    // What agents do with a version is told by no event.
    refetchInterval: 15_000,
  });
}
