import { getProjectSummary, listMembers, listTokens, type PagedList } from '@muster/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../../service/client.ts';
import { projectKey } from '../../service/query-client.ts';

/** A number of things; `isMore`: at least so many. */
export interface HeldCount {
  readonly count: number;
  readonly isMore: boolean;
}

/** What a project holds, and what ends with it. It is read when somebody asks, and not kept. */
export function holdingsQuery(projectID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'holdings'],
    queryFn: async ({ signal }) => {
      const page = { projectID, last: 100 };
      const [summary, tokens, members] = await Promise.all([
        getProjectSummary(client, { projectID }, { signal }),
        countOf(listTokens(client, page, { signal })),
        countOf(listMembers(client, page, { signal })),
      ]);
      const { agentsCount, openErrorsByState } = summary;
      return {
        agentsCount,
        errorsCount: openErrorsByState.current + openErrorsByState.superseded,
        tokens,
        members,
      };
    },
    staleTime: 0,
    gcTime: 0,
  });
}

async function countOf(list: PagedList<unknown>): Promise<HeldCount> {
  const { items, next } = await list.first();
  return { count: items.length, isMore: next !== undefined };
}
