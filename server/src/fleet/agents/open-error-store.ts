import { type Kysely, type RawBuilder, sql } from 'kysely';
import { idAtPlaceSql, timeAtPlaceSql } from '../../foundation/database/id-place.ts';
import { isAnyID } from '../../foundation/database/is-any-id.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../foundation/database/tables.ts';

/** An open error of the configuration that an agent runs. */
export interface OpenErrorRow {
  readonly agent_id: string;
  readonly id: string;
  readonly error: string;
  readonly group_id: string | null;
  readonly created_at: number;
  readonly occurrences: number;
  readonly last_seen_at: number;
}

/**
 * The oldest open error of each of these agents, by one range of the index of open errors each.
 *
 * @param groupID undefined: whatever its group
 */
export async function findOldestOpenErrors(
  db: Kysely<Tables>,
  engine: Engine,
  agentIDs: readonly string[],
  groupID?: string,
): Promise<readonly OpenErrorRow[]> {
  if (agentIDs.length === 0) return [];
  const query = engine === 'sqlite' ? onSqlite : onPostgres;
  const { rows } = await query(isAnyID(engine, sql.ref('agents.id'), agentIDs), groupID).execute(db);
  return rows;
}

function onSqlite(isAgent: RawBuilder<unknown>, groupID: string | undefined) {
  const isOfGroup =
    groupID === undefined
      ? sql``
      : sql`and rows.error_group = (select key from agent_error_groups where id = ${groupID})`;
  return sql<OpenErrorRow>`
    select agents.id as agent_id, ${sql.raw(idAtPlaceSql)} as id, error, occurrences, oldest.last_seen_at,
      (select id from agent_error_groups where key = oldest.error_group) as group_id,
      ${sql.raw(timeAtPlaceSql)} as created_at
    from agents
    cross join agent_error_rows as oldest on oldest.place = (
      select min(place) from agent_error_rows as rows indexed by agent_error_rows_open
      where rows.agent_key = (select key from id_keys where id_keys.id = agents.id)
        and rows.epoch = agents.epoch and rows.dismissed_at is null ${isOfGroup})
    where ${isAgent}`;
}

function onPostgres(isAgent: RawBuilder<unknown>, groupID: string | undefined) {
  const isOfGroup = groupID === undefined ? sql`` : sql`and agent_errors.group_id = ${groupID}`;
  return sql<OpenErrorRow>`
    select agents.id as agent_id, oldest.* from agents
    cross join lateral (
      select id, error, group_id, created_at, occurrences, last_seen_at from agent_errors
      where agent_errors.agent_id = agents.id and agent_errors.epoch = agents.epoch
        and agent_errors.dismissed_at is null ${isOfGroup}
      -- Not by the id alone: an index of all errors has that order, and would be read from its beginning.
      order by created_at, id limit 1) as oldest
    where ${isAgent}`;
}
