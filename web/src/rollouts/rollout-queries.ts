import {
  getRollout,
  listAgents,
  listProjectErrors,
  listRolloutAgents,
  listRollouts,
  type StartRollout,
  startRollout,
} from '@muster/client';
import { queryOptions } from '@tanstack/react-query';
import { fleetsKey } from '../fleets/fleets-query.ts';
import { client } from '../service/client.ts';
import { pagedQuery } from '../service/paged-query.ts';

/** What agents do with a version is told by no event, and decides about it within seconds. */
const rereadMilliseconds = 5_000;

/** @param fleetID absent: of all fleets */
export function rolloutsQuery(projectID: string, fleetID?: string) {
  return pagedQuery({
    queryKey: [...fleetsKey(projectID), 'rollouts', fleetID],
    topics: ['fleets'],
    list: (page, options) =>
      listRollouts(client, { projectID, fleet_id: fleetID, ...page, last: 10 }, options),
    refetchInterval: rereadMilliseconds * 3,
  });
}

/** The rollouts that a cause has stopped, newest first. */
export function rolloutsOfCauseQuery(projectID: string, causeID: string) {
  return queryOptions({
    queryKey: [...fleetsKey(projectID), 'rollouts-of-cause', causeID],
    queryFn: async ({ signal }) =>
      (await listRollouts(client, { projectID, group_id: causeID, last: 10 }, { signal }).first()).items,
    meta: { topics: ['fleets'] },
  });
}

export function rolloutQuery(projectID: string, rolloutID: string) {
  return queryOptions({
    queryKey: [...fleetsKey(projectID), 'rollout', rolloutID],
    queryFn: ({ signal }) => getRollout(client, { rolloutID }, { signal }),
    meta: { topics: ['fleets'] },
    refetchInterval: rereadMilliseconds,
  });
}

/** What an agent said first of a cause after it had got another version. Undefined: it is no longer stored. */
export function reportedErrorQuery(
  projectID: string,
  causeID: string,
  { agentID, appliedAt }: { readonly agentID: string; readonly appliedAt: string },
) {
  return queryOptions({
    queryKey: [...fleetsKey(projectID), 'reported-error', causeID, agentID, appliedAt],
    queryFn: async ({ signal }) => {
      const filter = { projectID, group_id: causeID, agent_id: agentID, since: appliedAt, last: 1 };
      return (await listProjectErrors(client, filter, { signal }).first()).items[0]?.error ?? null;
    },
  });
}

export function rolloutAgentsQuery(projectID: string, rolloutID: string) {
  return pagedQuery({
    queryKey: [...fleetsKey(projectID), 'rollout-agents', rolloutID],
    topics: ['fleets'],
    list: (page, options) => listRolloutAgents(client, { rolloutID, ...page }, options),
    refetchInterval: rereadMilliseconds,
  });
}

/** Who would get a version, stage by stage. Nothing happens. */
export function rolloutPlanQuery(projectID: string, fleetID: string, body: Omit<StartRollout, 'reason'>) {
  return queryOptions({
    queryKey: [...fleetsKey(projectID), 'rollout-plan', fleetID, body],
    queryFn: ({ signal }) =>
      startRollout(client, { fleetID, body: { ...body, reason: 'A dry run', dryRun: true } }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
}

/** Whether an agent of a fleet has a tag: a stage of agents that nobody has is left out, and the next one would be the first. */
export function canaryQuery(projectID: string, fleetID: string, tag: string) {
  return queryOptions({
    queryKey: [...fleetsKey(projectID), 'canary', fleetID, tag],
    queryFn: async ({ signal }) => {
      const filter = { projectID, fleet_id: fleetID, tag, last: 1 };
      return (await listAgents(client, filter, { signal }).first()).items.length > 0;
    },
    meta: { topics: ['agents'] },
  });
}
