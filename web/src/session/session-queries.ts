import { getMe, listProjects } from '@muster/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../service/client.ts';

/** Whom the session belongs to, and what it may do. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => getMe(client, {}, { signal }),
  staleTime: 60_000,
});

/** The projects of the switcher: the newest ones. */
export const projectsQuery = queryOptions({
  queryKey: ['my-projects'],
  queryFn: async ({ signal }) => (await listProjects(client, { last: 100 }, { signal }).first()).items,
  staleTime: 60_000,
});
