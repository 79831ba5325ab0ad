import {
  getAgentErrorGroup,
  getAgentErrorGroupHistory,
  getAgentErrorGroupOrigin,
  getAgentErrorGroupTrends,
  listAgentErrorGroupAgents,
  listAgentErrorGroupErrors,
  listAgentErrorGroups,
} from '@muster/client';
import { queryOptions } from '@tanstack/react-query';
import type { ChartRange } from '../chart/chart-range.ts';
import { bucketOf } from '../chart/chart-range.ts';
import { client } from '../service/client.ts';
import { pagedQuery } from '../service/paged-query.ts';
import { projectKey, rereadMilliseconds } from '../service/query-client.ts';
import type { CauseState, CausesSearch } from './causes-search.ts';

export function causesQuery(
  projectID: string,
  { state = 'open', q, fleet, site, sort = 'agents' }: CausesSearch,
) {
  const filter = { ...stateFilter[state], q, fleet_id: fleet, core_instance_id: site, sort };
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

/** How many errors were created in each part of a time. */
export function causeHistoryQuery(projectID: string, agentErrorGroupID: string, range: ChartRange) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'cause-history', agentErrorGroupID, range],
    queryFn: ({ signal }) =>
      getAgentErrorGroupHistory(client, { agentErrorGroupID, bucket: bucketOf[range] }, { signal }),
    // It counts all errors of its time, which is too much for each change in a storm.
    refetchInterval: rereadMilliseconds,
  });
}

/** Where the cause began, and who has it. */
export function causeOriginQuery(projectID: string, agentErrorGroupID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'cause-origin', agentErrorGroupID],
    queryFn: ({ signal }) => getAgentErrorGroupOrigin(client, { agentErrorGroupID }, { signal }),
    refetchInterval: rereadMilliseconds,
  });
}

/** How all causes grew in the last hour. */
export function trendsQuery(projectID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'cause-trends'],
    queryFn: async ({ signal }) => {
      const { groups } = await getAgentErrorGroupTrends(client, { projectID }, { signal });
      return new Map(groups.map(({ groupID, agentsCounts }) => [groupID, agentsCounts]));
    },
    refetchInterval: rereadMilliseconds,
  });
}

const examples = 5;

/** The newest errors, whatever their state. */
export function causeExamplesQuery(projectID: string, agentErrorGroupID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'cause-examples', agentErrorGroupID],
    queryFn: async ({ signal }) => {
      const list = async (filter: { readonly dismissed?: boolean; readonly current?: boolean }) => {
        const query = { agentErrorGroupID, last: examples, ...filter };
        return (await listAgentErrorGroupErrors(client, query, { signal }).first()).items;
      };
      const present = await list({ dismissed: false, current: true });
      return present.length > 0 ? present : list({});
    },
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
