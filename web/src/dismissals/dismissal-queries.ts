import {
  createDismissal,
  type Dismissal,
  type DismissalFilter,
  type DismissalPreview,
  listDismissals,
  undoDismissal,
} from '@muster/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../service/client.ts';
import { pagedQuery } from '../service/paged-query.ts';
import { projectKey } from '../service/query-client.ts';

export function dismissalsQuery(projectID: string) {
  return pagedQuery({
    queryKey: [...projectKey(projectID), 'dismissals'],
    topics: ['dismissals'],
    list: (page, options) => listDismissals(client, { projectID, ...page }, options),
  });
}

/** What a dismissal would dismiss now. Nothing is stored. */
export function dismissalPreviewQuery(projectID: string, filter: DismissalFilter) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'dismissal-preview', filter],
    queryFn: ({ signal }): Promise<Dismissal | DismissalPreview> =>
      createDismissal(client, { projectID, body: { reason: 'preview', filter, dryRun: true } }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
}

export async function dismiss(
  projectID: string,
  { filter, reason }: { readonly filter: DismissalFilter; readonly reason: string },
): Promise<Dismissal> {
  const answer = await createDismissal(client, { projectID, body: { reason, filter } });
  if ('dryRun' in answer) throw new TypeError('the service has only counted');
  return answer;
}

export function undo(dismissalID: string): Promise<Dismissal> {
  return undoDismissal(client, { dismissalID });
}
