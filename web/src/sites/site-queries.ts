import { type CoreInstance, getCoreInstance, listAgents, listCoreInstances } from '@muster/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../service/client.ts';
import { pagedQuery } from '../service/paged-query.ts';
import { projectKey, rereadMilliseconds } from '../service/query-client.ts';

/** A project has at most as many. */
const maxSites = 1_000;

/** The beginning of the keys of everything about the sites of a project. */
export function sitesKey(projectID: string) {
  return [...projectKey(projectID), 'sites'] as const;
}

/** All at once, because the worst one, which stands first, may be the oldest. */
export function sitesQuery(projectID: string) {
  return queryOptions({
    queryKey: [...sitesKey(projectID), 'all'],
    queryFn: async ({ signal }): Promise<readonly CoreInstance[]> =>
      (await listCoreInstances(client, { projectID, last: maxSites }, { signal }).first()).items,
    meta: { topics: ['sites'] },
    // No event tells that a site is silent.
    refetchInterval: rereadMilliseconds,
  });
}

export function siteQuery(projectID: string, coreInstanceID: string) {
  return queryOptions({
    queryKey: [...sitesKey(projectID), 'one', coreInstanceID],
    queryFn: ({ signal }) => getCoreInstance(client, { coreInstanceID }, { signal }),
    meta: { topics: ['sites'] },
    refetchInterval: rereadMilliseconds,
  });
}

/** The agents for which the site last spoke. */
export function siteAgentsQuery(projectID: string, coreInstanceID: string) {
  return pagedQuery({
    queryKey: [...sitesKey(projectID), 'agents', coreInstanceID],
    topics: ['agents', 'causes'],
    list: (page, options) =>
      listAgents(client, { projectID, core_instance_id: coreInstanceID, ...page }, options),
    refetchInterval: rereadMilliseconds,
  });
}
