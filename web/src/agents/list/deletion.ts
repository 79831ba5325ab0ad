import { deleteAgents, listAgents } from '@muster/client';
import { client } from '../../service/client.ts';
import { filterOf } from '../agent-queries.ts';
import type { AgentsSearch } from './agents-search.ts';

/** The service takes this many ids at once. */
const maxIDsPerRequest = 100;
/** Names that a preview shows. */
export const previewedNames = 5;

/** Which agents are to be deleted: chosen ones, or all that match the filters of the list. */
export type Deletion =
  | { readonly kind: 'chosen'; readonly agents: readonly { readonly id: string; readonly name: string }[] }
  | { readonly kind: 'matching'; readonly search: AgentsSearch };

export interface DeletionPreview {
  readonly count: number;
  /** Of the first ones. */
  readonly names: readonly string[];
}

/** What a deletion would delete now. */
export async function previewDeletion(projectID: string, deletion: Deletion): Promise<DeletionPreview> {
  if (deletion.kind === 'chosen')
    return {
      count: await runDeletion(projectID, deletion, undefined),
      names: deletion.agents.slice(0, previewedNames).map(({ name }) => name),
    };
  const [count, { items }] = await Promise.all([
    runDeletion(projectID, deletion, undefined),
    listAgents(client, { projectID, ...filterOf(deletion.search), last: previewedNames }).first(),
  ]);
  return { count, names: items.map(({ name }) => name) };
}

/** Each agent takes about a millisecond, and its errors more. */
const deletionMilliseconds = 3_600_000;

/**
 * @param max none is deleted if more match; undefined: they are only counted
 * @returns how many agents were deleted, or would be
 */
export async function runDeletion(
  projectID: string,
  deletion: Deletion,
  max: number | undefined,
): Promise<number> {
  let count = 0;
  for (const filter of filtersOf(deletion)) {
    const { agentsCount } = await deleteAgents(
      client,
      { projectID, ...filter, ...(max === undefined ? { dry_run: true } : { max_agents: max }) },
      max === undefined ? {} : { timeoutMilliseconds: deletionMilliseconds },
    );
    count += agentsCount;
  }
  return count;
}

function filtersOf(deletion: Deletion) {
  if (deletion.kind === 'matching') return [filterOf(deletion.search)];
  const ids = deletion.agents.map(({ id }) => id);
  return Array.from({ length: Math.ceil(ids.length / maxIDsPerRequest) }, (_, part) => ({
    agent_id: ids.slice(part * maxIDsPerRequest, (part + 1) * maxIDsPerRequest).join(','),
  }));
}
