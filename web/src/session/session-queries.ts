import { getMe, getProject, listProjects } from '@muster/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../service/client.ts';
import { projectKey } from '../service/query-client.ts';

/** Whom the session belongs to, and what it may do. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => getMe(client, {}, { signal }),
  staleTime: 60_000,
  // Somebody else may have signed in in another tab.
  refetchOnWindowFocus: 'always',
  meta: { topics: ['project'] },
});

/** The projects of the switcher: the newest ones, and those in which the user may do something but not read about the project itself. */
export const projectsQuery = queryOptions({
  queryKey: ['my-projects'],
  queryFn: async ({ signal, client: queries }) => {
    const [{ items }, { projects = [] }] = await Promise.all([
      listProjects(client, { last: 100 }, { signal }).first(),
      queries.ensureQueryData(meQuery),
    ]);
    const listed = new Set(items.map(({ id }) => id));
    return [...items, ...projects.filter(({ id }) => !listed.has(id))].map(({ id, name }) => ({ id, name }));
  },
  staleTime: 60_000,
  meta: { topics: ['project'] },
});

export function projectQuery(projectID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'project'],
    queryFn: ({ signal }) => getProject(client, { projectID }, { signal }),
    // Events do not make it read again: that of a new name may come when the project has been deleted.
  });
}
