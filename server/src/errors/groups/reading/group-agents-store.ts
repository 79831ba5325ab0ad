import { type Kysely, sql } from 'kysely';
import type { Engine } from '../../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { Page } from '../../../foundation/list-page.ts';
import { countsOf, type ErrorState } from '../error-group-store.ts';

export interface GroupAgentRow {
  readonly id: string;
  readonly name: string;
  readonly machine_id: string;
  readonly version: string | null;
  readonly fleet_id: string | null;
  readonly config_id: string | null;
  readonly errors_count: number;
}

/** Agents with errors of a group, newest agent first. If another page follows, there is one more row than the page has. */
export async function listAgentsOfGroup(
  db: Kysely<Tables>,
  engine: Engine,
  groupID: string,
  state: ErrorState,
  { limit, before }: Page,
): Promise<GroupAgentRow[]> {
  const pairs =
    engine === 'sqlite'
      ? sql`agent_error_group_agents as pairs
        cross join id_keys on id_keys.key = pairs.agent_key
        cross join agents on agents.id = id_keys.id
        where pairs.group_key = (select key from agent_error_groups where id = ${groupID})`
      : sql`agent_error_group_agents as pairs
        join agents on agents.id = pairs.agent_id
        where pairs.group_id = ${groupID}`;
  const { errors } = countsOf[state];
  const isBehind = before === undefined ? sql`true` : sql`agents.id < ${before}`;
  const { rows } = await sql<GroupAgentRow>`
    select agents.id, agents.name, agents.machine_id, agents.version, agents.fleet_id, agents.config_id,
      ${errors} as errors_count
    from ${pairs} and ${errors} > 0 and agents.deleted_at is null and ${isBehind}
    order by agents.id desc
    limit ${limit + 1}`.execute(db);
  return rows;
}
