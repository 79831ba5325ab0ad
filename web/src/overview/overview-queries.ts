import { getProjectSummary } from '@muster/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../service/client.ts';
import { projectKey } from '../service/query-client.ts';

export function summaryQuery(projectID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'summary'],
    queryFn: ({ signal }) => getProjectSummary(client, { projectID }, { signal }),
    meta: { topics: ['agents', 'causes'] },
  });
}
