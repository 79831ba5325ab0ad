import {
  getProjectHistory,
  getProjectSummary,
  listAgentErrorGroups,
  listAgents,
  listAlertChannels,
  listRollouts,
  listTokens,
  type Token,
} from '@muster/client';
import { isAboutToExpire } from '@muster/contract';
import { queryOptions } from '@tanstack/react-query';
import { bucketOf, type ChartRange } from '../chart/chart-range.ts';
import { client } from '../service/client.ts';
import { projectKey } from '../service/query-client.ts';
import { addNewest, maxWidest } from './pick-story.ts';

export function summaryQuery(projectID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'summary'],
    queryFn: ({ signal }) => getProjectSummary(client, { projectID }, { signal }),
    meta: { topics: ['agents', 'causes'] },
  });
}

const historyMilliseconds = 30_000;

export function historyQuery(projectID: string, range: ChartRange) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'history', range],
    queryFn: ({ signal }) => getProjectHistory(client, { projectID, bucket: bucketOf[range] }, { signal }),
    // It counts all errors of its time, which is too much for each change in a storm.
    refetchInterval: historyMilliseconds,
  });
}

const maxHours = 990;
const hourMilliseconds = 3_600_000;

/** What has happened since a time, by the hour. Of an earlier visit than 41 days ago, the last 41 days. */
export function changesQuery(projectID: string, since: number, now: number) {
  const start = new Date(Math.max(since, now - maxHours * hourMilliseconds)).toISOString();
  return queryOptions({
    queryKey: [...projectKey(projectID), 'changes', start],
    queryFn: async ({ signal }) => {
      const history = await getProjectHistory(
        client,
        { projectID, bucket: 'hour', since: start },
        { signal },
      );
      const sum = (name: 'errorsCount' | 'newGroupsCount' | 'configChangesCount') =>
        history.buckets.reduce((total, bucket) => total + bucket[name], 0);
      return {
        errors: sum('errorsCount'),
        causes: sum('newGroupsCount'),
        configChanges: sum('configChangesCount'),
      };
    },
    refetchInterval: historyMilliseconds,
  });
}

const maxRecentRollouts = 10;

/** The newest rollouts of all fleets. */
export function recentRolloutsQuery(projectID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'recent-rollouts'],
    queryFn: async ({ signal }) =>
      (await listRollouts(client, { projectID, last: maxRecentRollouts }, { signal }).first()).items,
    meta: { topics: ['fleets'] },
    refetchInterval: historyMilliseconds,
  });
}

const maxNewest = 10;

/** The causes on the most agents. If there are more, also the newest, because one that has just begun is on few. */
export function widestCausesQuery(projectID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'widest-causes'],
    queryFn: async ({ signal }) => {
      const list = async (sort: 'agents' | 'firstSeen', last: number) =>
        (await listAgentErrorGroups(client, { projectID, sort, last }, { signal }).first()).items;
      const widest = await list('agents', maxWidest);
      return widest.length < maxWidest ? widest : addNewest(widest, await list('firstSeen', maxNewest));
    },
    meta: { topics: ['causes'] },
  });
}

/** Agents of which nothing is heard that are compared. */
export const maxCompared = 100;

/** Which of the newest agents of which nothing is heard has been silent for the longest time. Null: there is none. */
export function longestOfflineQuery(projectID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'longest-offline'],
    queryFn: async ({ signal }) => {
      const filter = { projectID, status: 'offline', last: maxCompared } as const;
      const { items } = await listAgents(client, filter, { signal }).first();
      const [longest] = items.toSorted((one, other) => one.lastSeenAt.localeCompare(other.lastSeenAt));
      return longest ?? null;
    },
    meta: { topics: ['agents'] },
  });
}

/** Of more agents that ended with a failure, nobody needs the number. */
export const maxFailed = 100;

/** How many agents are unhealthy without an open error: they ended with a failure, or do so again and again. */
export function failedAgentsQuery(projectID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'failed-agents'],
    queryFn: async ({ signal }) => {
      const filter = { projectID, status: 'unhealthy', open_errors: false, last: maxFailed + 1 } as const;
      return (await listAgents(client, filter, { signal }).first()).items.length;
    },
    meta: { topics: ['agents', 'causes'] },
  });
}

/** A day, and what clocks differ by. */
const briefMilliseconds = 25 * hourMilliseconds;

/** False for a token that was made to end within a day: it has done its work then. */
function isToLast({ createdAt, expiresAt }: Token): boolean {
  return expiresAt === null || Date.parse(expiresAt) - Date.parse(createdAt) > briefMilliseconds;
}

/** A page of tokens that expire soon: those of a project are few. */
export function expiringTokensQuery(projectID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'expiring-tokens'],
    queryFn: async ({ signal }) =>
      (await listTokens(client, { projectID, status: 'expiring' }, { signal }).first()).items.filter(
        (token) => isAboutToExpire(token, Date.now()) && isToLast(token),
      ),
    meta: { topics: ['tokens'] },
  });
}

export function failingChannelsQuery(projectID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'failing-channels'],
    queryFn: async ({ signal }) => {
      const { items } = await listAlertChannels(client, { projectID }, { signal }).first();
      return items.filter(({ status, disabledReason }) => status === 'failing' || disabledReason !== null);
    },
    meta: { topics: ['alerts'] },
    // No event tells of messages that fail.
    refetchInterval: 60_000,
  });
}
