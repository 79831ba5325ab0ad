import { type Fleet, listFleets } from '@muster/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../service/client.ts';
import { projectKey } from '../service/query-client.ts';

/** A fleet in a list, without its configuration, which can be a megabyte. */
export type ListedFleet = Omit<Fleet, 'rawConfig'>;

/** The beginning of the keys of everything about the fleets of a project. */
export function fleetsKey(projectID: string) {
  return [...projectKey(projectID), 'fleets'] as const;
}

/** All at once, because the worst one, which stands first, may be the oldest. */
export function fleetsQuery(projectID: string) {
  return queryOptions({
    queryKey: [...fleetsKey(projectID), 'all'],
    queryFn: async ({ signal }): Promise<readonly ListedFleet[]> => {
      const fleets: ListedFleet[] = [];
      for await (const { rawConfig: _, ...fleet } of listFleets(client, { projectID, last: 100 }, { signal }))
        fleets.push(fleet);
      return fleets;
    },
    meta: { topics: ['fleets'] },
  });
}
