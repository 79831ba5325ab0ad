import { getToken, getTokenUsage, listTokens } from '@muster/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../service/client.ts';
import { pagedQuery } from '../service/paged-query.ts';
import { projectKey } from '../service/query-client.ts';
import { dependentsOf } from './dependents-of.ts';
import type { TokensSearch } from './tokens-search.ts';

export function tokensQuery(projectID: string, { status = 'valid', q }: TokensSearch) {
  const filter = {
    ...(status === 'valid' ? {} : { status }),
    // A part of the name.
    ...(q === undefined ? {} : { name: `*${q}*` }),
  };
  return pagedQuery({
    queryKey: [...tokensKey(projectID), filter],
    topics: ['tokens'],
    list: (page, options) => listTokens(client, { projectID, ...filter, ...page }, options),
  });
}

export function tokenQuery(projectID: string, tokenID: string) {
  return queryOptions({
    queryKey: [...tokensKey(projectID), 'one', tokenID],
    queryFn: ({ signal }) => getToken(client, { tokenID }, { signal }),
    meta: { topics: ['tokens'] },
  });
}

export function tokenUsageQuery(projectID: string, tokenID: string) {
  return queryOptions({
    queryKey: [...tokensKey(projectID), 'usage', tokenID],
    queryFn: ({ signal }) => getTokenUsage(client, { tokenID }, { signal }),
    meta: { topics: ['tokens', 'agents'] },
    // No event tells that a value was used, and after a rotation people wait for the last use of the earlier one.
    refetchInterval: ({ state }) => ((state.data?.earlierValues.length ?? 0) > 0 ? 15_000 : false),
  });
}

/** The tokens that are revoked together with another one, because it created, widened or rotated them: of the newest thousand. */
export function dependentTokensQuery(projectID: string, tokenID: string) {
  return queryOptions({
    queryKey: [...tokensKey(projectID), 'dependent', tokenID],
    queryFn: async ({ signal }) => {
      const { items } = await listTokens(client, { projectID, last: 1_000 }, { signal }).first();
      return dependentsOf(items, tokenID);
    },
    meta: { topics: ['tokens'] },
  });
}

/** The beginning of the keys of everything about tokens of a project. */
export function tokensKey(projectID: string) {
  return [...projectKey(projectID), 'tokens'] as const;
}
