import { listAgents, listFleetSecrets, listFleetVariables } from '@muster/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../../service/client.ts';
import { pagedQuery } from '../../service/paged-query.ts';
import { fleetsKey } from '../fleets-query.ts';

export function fleetVariablesQuery(projectID: string, fleetID: string) {
  return pagedQuery({
    queryKey: [...fleetsKey(projectID), 'variables', fleetID],
    topics: ['fleets'],
    list: (page, options) => listFleetVariables(client, { fleetID, ...page }, options),
  });
}

/** Without their values, which nobody can read. */
export function fleetSecretsQuery(projectID: string, fleetID: string) {
  return queryOptions({
    queryKey: [...fleetsKey(projectID), 'secrets', fleetID],
    queryFn: async ({ signal }) => (await listFleetSecrets(client, { fleetID }, { signal })).secrets,
    meta: { topics: ['fleets'] },
  });
}

/** Whether what agents get uses a variable. */
export function isUsedQuery(projectID: string, fleetID: string, name: string) {
  return queryOptions({
    queryKey: [...fleetsKey(projectID), 'is-used', fleetID, name],
    queryFn: async ({ signal }) => {
      const { items } = await listFleetVariables(client, { fleetID, name, last: 1 }, { signal }).first();
      return items[0]?.isUsed ?? false;
    },
    meta: { topics: ['fleets'] },
  });
}

const maxFound = 20;

/** Agents of a fleet whose name contains a text. */
export function fleetAgentsCalledQuery(projectID: string, fleetID: string, typed: string) {
  return queryOptions({
    queryKey: [...fleetsKey(projectID), 'agents-called', fleetID, typed],
    queryFn: async ({ signal }) => {
      const filter = { projectID, fleet_id: fleetID, q: typed, last: maxFound };
      return (await listAgents(client, filter, { signal }).first()).items;
    },
    meta: { topics: ['agents'] },
  });
}
