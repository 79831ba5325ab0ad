import { listAlertChannels, listAlertDeliveries, listAlertRules, previewAlertRule } from '@muster/client';
import type { CreateAlertRule } from '@muster/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../service/client.ts';
import { pagedQuery } from '../service/paged-query.ts';
import { projectKey } from '../service/query-client.ts';
import type { AlertsSearch } from './alerts-search.ts';

/** No event tells whether messages arrive, so this is read again from time to time while it is shown. */
const refetchInterval = 15_000;

/** All rules of a project: there are at most a hundred. */
export function rulesQuery(projectID: string) {
  return queryOptions({
    queryKey: [...alertsKey(projectID), 'rules'],
    queryFn: async ({ signal }) =>
      (await listAlertRules(client, { projectID, last: 1_000 }, { signal }).first()).items,
    meta: { topics: ['alerts'] },
  });
}

/** All channels of a project. */
export function channelsQuery(projectID: string) {
  return queryOptions({
    queryKey: [...alertsKey(projectID), 'channels'],
    queryFn: async ({ signal }) =>
      (await listAlertChannels(client, { projectID, last: 1_000 }, { signal }).first()).items,
    meta: { topics: ['alerts'] },
    refetchInterval,
  });
}

export function messagesQuery(projectID: string, { state, channel }: AlertsSearch) {
  const filter = {
    ...(state === undefined || state === 'any' ? {} : { state }),
    ...(channel === undefined ? {} : { channel_id: channel }),
  };
  return {
    ...pagedQuery({
      queryKey: [...alertsKey(projectID), 'messages', filter],
      topics: [],
      list: (page, options) => listAlertDeliveries(client, { projectID, ...filter, ...page }, options),
    }),
    refetchInterval,
  };
}

/** What a rule would have told. While the rule changes, the earlier answer stays. */
export function previewQuery(projectID: string, body: CreateAlertRule | undefined) {
  return queryOptions({
    queryKey: [...alertsKey(projectID), 'preview', body],
    queryFn: ({ signal }) =>
      previewAlertRule(client, { projectID, body: body ?? { kind: 'new_group' } }, { signal }),
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
}

/** The beginning of the keys of everything about alerts of a project. */
export function alertsKey(projectID: string) {
  return [...projectKey(projectID), 'alerts'] as const;
}
