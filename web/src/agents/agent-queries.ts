import {
  type Agent,
  getAgent,
  getAgentConfigDiff,
  getReportedFleets,
  listAgentConfigChanges,
  listAgentErrorGroupAgents,
  listAgentErrors,
  listAgents,
} from '@muster/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../service/client.ts';
import { pagedQuery } from '../service/paged-query.ts';
import { projectKey, rereadMilliseconds } from '../service/query-client.ts';
import type { RowsOnScreen } from '../table/rows-on-screen.ts';
import { agentStatusesTexts } from '../texts/agent-statuses.ts';
import type { AgentsSearch } from './list/agents-search.ts';
import type { SectionAgents, SectionSource } from './list/wrong-sections.ts';

/** What the service takes for the filters of the list and of a deletion. By site, nothing is deleted. */
export function filterOf({ q, status, version, fleet, tag }: AgentsSearch) {
  return {
    q,
    status: status === undefined || status === 'all' ? undefined : status,
    version,
    fleet_id: fleet,
    tag,
  };
}

/** The beginning of the keys of the list, whatever its filters. */
export function agentsKey(projectID: string) {
  return [...projectKey(projectID), 'agents'] as const;
}

export function agentsQuery(projectID: string, search: AgentsSearch, onScreen: RowsOnScreen<Agent>) {
  const filter = { ...filterOf(search), core_instance_id: search.site };
  return pagedQuery({
    queryKey: [...agentsKey(projectID), filter],
    topics: ['agents', 'causes'],
    list: (page, options) => listAgents(client, { projectID, ...filter, ...page }, options),
    long: onScreen,
    refetchInterval: rereadMilliseconds,
  });
}

/** Agents with which the same is wrong, so many of them. */
export function sectionAgentsQuery(projectID: string, source: SectionSource, last: number) {
  return queryOptions({
    queryKey: [...agentsKey(projectID), 'section', source, last],
    queryFn: ({ signal }) => readSection(projectID, source, last, signal),
    meta: { topics: ['agents', 'causes'] },
    placeholderData: keepPreviousData,
    refetchInterval: rereadMilliseconds,
  });
}

async function readSection(
  projectID: string,
  source: SectionSource,
  last: number,
  signal: AbortSignal,
): Promise<SectionAgents> {
  if (source.kind === 'cause') {
    const query = { agentErrorGroupID: source.causeID, last };
    const { items, next } = await listAgentErrorGroupAgents(client, query, { signal }).first();
    const agents = items.map((agent) => ({ ...agent, statusReason: null, since: null }));
    return { agents, hasMore: next !== undefined };
  }
  const filter =
    source.kind === 'failed'
      ? ({ status: 'unhealthy', open_errors: false } as const)
      : { status: source.status };
  const { items, next } = await listAgents(client, { projectID, ...filter, last }, { signal }).first();
  // What is wrong is that it is not heard: its errors may be long gone.
  const agents = items.map((agent) => ({
    ...agent,
    openError: null,
    // The columns beside it say since when, in the words of the screen.
    statusReason: agent.status === 'offline' ? agentStatusesTexts.sentNothing : agent.statusReason,
    since: agent.statusSince,
  }));
  return { agents, hasMore: next !== undefined };
}

export function reportedFleetsQuery(projectID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'reported-fleets'],
    queryFn: ({ signal }) => getReportedFleets(client, { projectID }, { signal }),
    staleTime: 60_000,
  });
}

export function agentQuery(projectID: string, agentID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'agent', agentID],
    queryFn: ({ signal }) => getAgent(client, { agentID }, { signal }),
    meta: { topics: ['agents', 'causes'] },
    refetchInterval: rereadMilliseconds,
  });
}

export function agentErrorsQuery(projectID: string, agentID: string, dismissed: boolean | undefined) {
  return pagedQuery({
    queryKey: [...projectKey(projectID), 'agent', agentID, 'errors', { dismissed }],
    topics: ['causes', 'dismissals'],
    list: (page, options) => listAgentErrors(client, { agentID, dismissed, ...page }, options),
  });
}

export function configChangesQuery(projectID: string, agentID: string) {
  return pagedQuery({
    queryKey: [...projectKey(projectID), 'agent', agentID, 'config-changes'],
    topics: ['agents', 'causes'],
    list: (page, options) => listAgentConfigChanges(client, { agentID, ...page, last: 20 }, options),
  });
}

interface ComparedConfigs {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The difference of two configurations, which never changes. */
export function configDiffQuery(projectID: string, agentID: string, { from, to }: ComparedConfigs) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'agent', agentID, 'config-diff', { from, to }],
    queryFn: ({ signal }) => getAgentConfigDiff(client, { agentID, from, to }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
