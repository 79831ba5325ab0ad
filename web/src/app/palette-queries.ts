import { listAgentErrorGroups, listAgents, listTokens } from '@muster/client';
import { titleOfCause, visibleText } from '@muster/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../service/client.ts';
import { projectKey } from '../service/query-client.ts';

const maxFound = 3;

/** Agents whose name or machine contains a text. */
export function agentsCalledQuery(projectID: string, typed: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'palette', 'agents', typed],
    queryFn: async ({ signal }) =>
      (await listAgents(client, { projectID, q: typed, last: maxFound }, { signal }).first()).items,
    placeholderData: keepPreviousData,
  });
}

const maxCompared = 100;

/** Causes whose title, pattern or example contains a text, the one on the most agents first. An empty text: all. */
export function causesCalledQuery(projectID: string, typed: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'palette', 'causes', typed],
    queryFn: async ({ signal }) => {
      const wanted = typed.toLowerCase();
      const list = async (filter: { readonly q?: string; readonly last: number }) =>
        (await listAgentErrorGroups(client, { projectID, sort: 'agents', ...filter }, { signal }).first())
          .items;
      // Titles are not stored with the errors.
      const [found, widest] = await Promise.all([
        wanted === '' ? [] : list({ q: typed, last: maxFound }),
        list({ last: maxCompared }),
      ]);
      const titled = widest.filter(
        (cause) => wanted === '' || titleOfCause(cause)?.toLowerCase().includes(wanted),
      );
      const all = new Map([...titled, ...found].map((cause) => [cause.id, cause]));
      return [...all.values()].sort((one, other) => other.agentsCount - one.agentsCount).slice(0, maxFound);
    },
    placeholderData: keepPreviousData,
  });
}

const maxTokens = 1_000;

/** The tokens that are valid. They are few, so that they are read once and compared here. */
export function tokensCalledQuery(projectID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'palette', 'tokens'],
    queryFn: async ({ signal }) =>
      (await listTokens(client, { projectID, last: maxTokens }, { signal }).first()).items,
    meta: { topics: ['tokens'] },
  });
}

/** Of things with names, those whose name contains a text. */
export function called<Thing extends { readonly name: string }>(
  typed: string,
  things: readonly Thing[],
): readonly Thing[] {
  const wanted = typed.toLowerCase();
  return things.filter(({ name }) => visibleText(name).toLowerCase().includes(wanted)).slice(0, maxFound);
}
