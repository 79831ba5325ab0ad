import { type Kysely, type RawBuilder, sql } from 'kysely';
import { countingPartitionOf } from '../../../foundation/database/counting-partition.ts';
import type { Database } from '../../../foundation/database/database.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import { lockPartitions } from './count-store-postgres.ts';

/**
 * Removes up to `limit` groups without errors that were last seen before a time, or whose project was deleted. Groups that
 * are muted, or of which somebody has said something, stay. Returns the number of removed groups. If the pattern appears again, its group gets the same id.
 */
export async function deleteEmptyGroups(
  database: Database,
  before: number,
  now: number,
  limit: number,
): Promise<number> {
  const { engine } = database;
  const isEmpty = isEmptyGroup(engine, before, now);
  if (engine === 'sqlite') {
    return database.write.transaction().execute(async (trx) => {
      const ids = (await listGroups(trx, isEmpty, limit)).map(({ id }) => id);
      if (ids.length === 0) return 0;
      // This makes the writer's thread forget the groups that it remembers.
      await trx
        .updateTable('agent_error_groups')
        .set({ pattern: sql`pattern` })
        .where('id', 'in', ids)
        .execute();
      await trx.deleteFrom('agent_error_groups').where('id', 'in', ids).execute();
      return ids.length;
    });
  }
  const byPartition = new Map<number, string[]>();
  for (const { id, project_id: projectID } of await listGroups(database.write, isEmpty, limit)) {
    const partition = countingPartitionOf(projectID);
    byPartition.set(partition, [...(byPartition.get(partition) ?? []), id]);
  }
  let removed = 0;
  for (const [partition, ids] of byPartition) {
    removed += await database.write.transaction().execute(async (trx) => {
      // Keeps other replicas from counting at the same time.
      await lockPartitions(trx, [partition], 'wait');
      // Locked, so that a mute or a note that comes meanwhile is seen, or waits and finds no group.
      const still = await listGroups(
        trx,
        sql`${isEmpty} and empty_group.id = any(${ids}::uuid[])`,
        limit,
        true,
      );
      const due = still.map(({ id }) => id);
      if (due.length > 0) await trx.deleteFrom('agent_error_groups').where('id', 'in', due).execute();
      return due.length;
    });
  }
  return removed;
}

function isEmptyGroup(engine: Database['engine'], before: number, now: number): RawBuilder<unknown> {
  const hasError =
    engine === 'sqlite'
      ? sql`exists (select 1 from agent_error_rows where error_group = empty_group.key)`
      : sql`exists (select 1 from agent_errors where group_id = empty_group.id)`;
  // Projects that move have 0 there: nothing of them changes meanwhile.
  return sql`empty_group.agents = 0 and coalesce(projects.deleted_at, 1) > 0 and (empty_group.last_seen_at < ${before} or projects.deleted_at > 0)
    and (projects.deleted_at > 0 or coalesce(muted_until, 0) < ${now}
      and assignee_id is null and note is null and link is null)
    and not ${hasError}`;
}

async function listGroups(
  db: Kysely<Tables>,
  condition: RawBuilder<unknown>,
  limit: number,
  isLocked = false,
): Promise<{ readonly id: string; readonly project_id: string }[]> {
  const { rows } = await sql<{ id: string; project_id: string }>`
    select empty_group.id, empty_group.project_id
    from agent_error_groups as empty_group
    join projects on projects.id = empty_group.project_id
    where ${condition}
    limit ${limit}
    ${isLocked ? sql`for update of empty_group` : sql``}`.execute(db);
  return rows;
}
