import { type AccessToken, listAccessTokens, listSessions } from '@muster/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../../service/client.ts';
import { pagedQuery } from '../../service/paged-query.ts';
import { endedWith } from './ended-with.ts';

export const accessTokensQuery = pagedQuery({
  queryKey: ['access-tokens'],
  topics: [],
  list: (page, options) => listAccessTokens(client, page, options),
});

/** What ends when a token is revoked: the tokens that were created with it, and the sessions of all of them. Not kept. */
export function endedWithQuery({ id }: AccessToken) {
  return queryOptions({
    queryKey: ['access-tokens', id, 'ends'],
    queryFn: async ({ signal }) => {
      const tokens = await allOf(listAccessTokens(client, { last: 100 }, { signal }));
      const sessions = await allOf(listSessions(client, { last: 100 }, { signal }));
      return endedWith(id, tokens, sessions);
    },
    staleTime: 0,
    gcTime: 0,
  });
}

async function allOf<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of list) all.push(item);
  return all;
}
