import {
  getFleet,
  getFleetVersion,
  getFleetVersionCounts,
  getFleetVersionDiff,
  listFleetFiles,
  listFleetVersions,
} from '@muster/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../service/client.ts';
import { pagedQuery } from '../service/paged-query.ts';
import { rereadMilliseconds } from '../service/query-client.ts';
import { fleetsKey } from './fleets-query.ts';

/** Who runs what. @param fleetID absent: in all fleets */
export function versionCountsQuery(projectID: string, fleetID?: string) {
  return queryOptions({
    queryKey: [...fleetsKey(projectID), 'counts', fleetID],
    queryFn: async ({ signal }) =>
      (await getFleetVersionCounts(client, { projectID, fleet_id: fleetID }, { signal })).counts,
    meta: { topics: ['fleets', 'agents'] },
    // No event tells that an agent asks.
    refetchInterval: rereadMilliseconds,
  });
}

export function fleetQuery(projectID: string, fleetID: string) {
  return queryOptions({
    queryKey: [...fleetsKey(projectID), 'one', fleetID],
    queryFn: ({ signal }) => getFleet(client, { fleetID }, { signal }),
    meta: { topics: ['fleets'] },
  });
}

export function fleetVersionsQuery(projectID: string, fleetID: string) {
  return pagedQuery({
    queryKey: [...fleetsKey(projectID), 'versions', fleetID],
    topics: ['fleets'],
    list: (page, options) => listFleetVersions(client, { fleetID, ...page, last: 20 }, options),
  });
}

/** A version with its configuration. What it is made of never changes. */
export function fleetVersionQuery(projectID: string, fleetVersionID: string) {
  return queryOptions({
    queryKey: [...fleetsKey(projectID), 'version', fleetVersionID],
    queryFn: ({ signal }) => getFleetVersion(client, { fleetVersionID }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The difference of two versions, which never changes. @param against absent: the version before */
export function versionDiffQuery(projectID: string, fleetVersionID: string, against: string | undefined) {
  return queryOptions({
    queryKey: [...fleetsKey(projectID), 'diff', fleetVersionID, against],
    queryFn: ({ signal }) => getFleetVersionDiff(client, { fleetVersionID, against }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** All files of a fleet, as it has them now. */
export function fleetFilesQuery(projectID: string, fleetID: string) {
  return queryOptions({
    queryKey: [...fleetsKey(projectID), 'files', fleetID],
    queryFn: async ({ signal }) => (await listFleetFiles(client, { fleetID }, { signal }).first()).items,
    meta: { topics: ['fleets'] },
  });
}
