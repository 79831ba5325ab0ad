import { listAgentErrorGroups } from '@muster/client';
import { client } from '../service/client.ts';
import { pagedQuery } from '../service/paged-query.ts';
import { projectKey } from '../service/query-client.ts';
import type { CauseState, CausesSearch } from './causes-search.ts';

export function causesQuery(projectID: string, { state = 'open', q, fleet, sort }: CausesSearch) {
  const filter = { ...stateFilter[state], q, fleet_id: fleet, sort };
  return pagedQuery({
    queryKey: [...projectKey(projectID), 'causes', filter],
    topics: ['causes'],
    list: (page, options) => listAgentErrorGroups(client, { projectID, ...filter, ...page }, options),
  });
}

const stateFilter: Readonly<
  Record<CauseState, { readonly current?: boolean; readonly dismissed?: boolean }>
> = {
  open: {},
  earlier: { current: false },
  dismissed: { dismissed: true },
};
