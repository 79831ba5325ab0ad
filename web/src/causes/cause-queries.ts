import {
  getAgentErrorGroup,
  getAgentErrorGroupHistory,
  getFleets,
  listAgentErrorGroupAgents,
  listAgentErrorGroupErrors,
  listAgentErrorGroups,
} from '@muster/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../service/client.ts';
import { pagedQuery } from '../service/paged-query.ts';
import { projectKey, rereadMilliseconds } from '../service/query-client.ts';
import type { CauseState, CausesSearch } from './causes-search.ts';

export function causesQuery(projectID: string, { state = 'open', q, fleet, sort }: CausesSearch) {
  const filter = { ...stateFilter[state], q, fleet_id: fleet, sort };
  return pagedQuery({
    queryKey: [...projectKey(projectID), 'causes', filter],
    topics: ['causes'],
    list: (page, options) => listAgentErrorGroups(client, { projectID, ...filter, ...page }, options),
    refetchInterval: rereadMilliseconds,
  });
}

const stateFilter: Readonly<
  Record<CauseState, { readonly current?: boolean; readonly dismissed?: boolean; readonly muted?: boolean }>
> = {
  open: {},
  earlier: { current: false },
  dismissed: { dismissed: true },
  muted: { muted: true },
};

export function causeQuery(projectID: string, agentErrorGroupID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'cause', agentErrorGroupID],
    queryFn: ({ signal }) => getAgentErrorGroup(client, { agentErrorGroupID }, { signal }),
    meta: { topics: ['causes'] },
    refetchInterval: rereadMilliseconds,
  });
}

/** By the hour, of the last day. */
export function causeHistoryQuery(projectID: string, agentErrorGroupID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'cause-history', agentErrorGroupID],
    queryFn: ({ signal }) => getAgentErrorGroupHistory(client, { agentErrorGroupID }, { signal }),
    meta: { topics: ['causes'] },
  });
}

const examples = 5;

/** The newest errors, whatever their state. */
export function causeExamplesQuery(projectID: string, agentErrorGroupID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'cause-examples', agentErrorGroupID],
    queryFn: async ({ signal }) =>
      (await listAgentErrorGroupErrors(client, { agentErrorGroupID, last: examples }, { signal }).first())
        .items,
    meta: { topics: ['causes'] },
  });
}

export function causeAgentsQuery(projectID: string, agentErrorGroupID: string) {
  return pagedQuery({
    queryKey: [...projectKey(projectID), 'cause-agents', agentErrorGroupID],
    topics: ['causes', 'agents'],
    list: (page, options) => listAgentErrorGroupAgents(client, { agentErrorGroupID, ...page }, options),
  });
}

export function fleetsQuery(projectID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'fleets'],
    queryFn: ({ signal }) => getFleets(client, { projectID }, { signal }),
    staleTime: 60_000,
  });
}
