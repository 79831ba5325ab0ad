import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import type { Page } from '../../foundation/list-page.ts';
import { countsOf, type ErrorState } from './error-group-store.ts';

export interface GroupAgentRow {
  readonly id: string;
  readonly name: string;
  readonly machine_id: string;
  readonly version: string | null;
  readonly fleet_id: string | null;
  readonly config_id: string | null;
  readonly last_seen_at: number;
  readonly errors_count: number;
}

/** A group as its row says it. */
export interface GroupOfAgents {
  readonly id: string;
  readonly project_id: string;
  /** How many agents have errors of it, in whatever state. */
  readonly agents: number;
}

/** Agents with errors of a group, newest agent first. If another page follows, there is one more row than the page has. */
export async function listAgentsOfGroup(
  db: Kysely<Tables>,
  engine: Engine,
  group: GroupOfAgents,
  state: ErrorState,
  { limit, before }: Page,
): Promise<GroupAgentRow[]> {
  const { pairs, agentID } = pairsInOrder(engine, group);
  const { errors } = countsOf[state];
  const isBehind = before === undefined ? sql`true` : sql`${agentID} < ${before}`;
  const { rows } = await sql<GroupAgentRow>`
    select agents.id, agents.name, agents.machine_id, agents.version, agents.fleet_id, agents.config_id,
      ${lastSeenAt} as last_seen_at, ${errors} as errors_count
    from ${pairs} and ${errors} > 0 and agents.deleted_at is null and ${isBehind}
    order by ${agentID} desc
    limit ${limit + 1}`.execute(db);
  return rows;
}

/** The later of the times in the agent's row and in its signs of life. */
const lastSeenAt = sql`coalesce(
  (select seen_at from agent_signs as signs where signs.project_id = agents.project_id
    and signs.agent_id = agents.id and signs.seen_at > agents.last_seen_at),
  agents.last_seen_at)`;

/** Up to this many pairs are read and sorted for a page. Of more, agents are looked through in their order. */
const maxSortedPairs = 1_000;

/** The pairs of a group with their agents, and the id in whose order an index has them. */
function pairsInOrder(
  engine: Engine,
  { id, project_id: projectID, agents }: GroupOfAgents,
): { readonly pairs: RawBuilder<unknown>; readonly agentID: RawBuilder<unknown> } {
  if (engine === 'postgres') {
    return {
      pairs: sql`agent_error_group_agents as pairs
        join agents on agents.id = pairs.agent_id
        where pairs.group_id = ${id}`,
      agentID: sql`pairs.agent_id`,
    };
  }
  // SQLite keeps the order of a cross join.
  const groupKey = sql`(select key from agent_error_groups where id = ${id})`;
  const pairs =
    agents <= maxSortedPairs
      ? sql`agent_error_group_agents as pairs
        cross join id_keys on id_keys.key = pairs.agent_key
        cross join agents on agents.id = id_keys.id
        where pairs.group_key = ${groupKey}`
      : sql`agents indexed by agents_by_project
        cross join id_keys on id_keys.id = agents.id
        cross join agent_error_group_agents as pairs
          on pairs.group_key = ${groupKey} and pairs.agent_key = id_keys.key
        where agents.project_id = ${projectID}`;
  return { pairs, agentID: sql`agents.id` };
}
