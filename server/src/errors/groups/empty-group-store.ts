import { type Kysely, sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { foldLockName } from './fold-store-postgres.ts';

/**
 * Removes up to `limit` groups without errors that were last seen before a time, or whose project was deleted. Muted groups
 * stay. Returns the number of removed groups. If the pattern appears again, its group gets the same id.
 */
export async function deleteEmptyGroups(
  database: Database,
  before: number,
  now: number,
  limit: number,
): Promise<number> {
  return database.write.transaction().execute(async (trx) => {
    // On PostgreSQL, this lock keeps other replicas from counting at the same time.
    await database.takeLock(trx, foldLockName);
    const ids = await listEmptyGroups(trx, database, before, now, limit);
    if (ids.length === 0) return 0;
    // On SQLite, this makes the writer's thread forget the groups that it remembers.
    await trx
      .updateTable('agent_error_groups')
      .set({ pattern: sql`pattern` })
      .where('id', 'in', ids)
      .execute();
    await trx.deleteFrom('agent_error_groups').where('id', 'in', ids).execute();
    return ids.length;
  });
}

async function listEmptyGroups(
  trx: Kysely<Tables>,
  { engine }: Database,
  before: number,
  now: number,
  limit: number,
): Promise<string[]> {
  const hasError =
    engine === 'sqlite'
      ? sql`exists (select 1 from agent_error_rows where error_group = empty_group.key)`
      : sql`exists (select 1 from agent_errors where group_id = empty_group.id)`;
  const { rows } = await sql<{ id: string }>`
    select empty_group.id
    from agent_error_groups as empty_group
    join projects on projects.id = empty_group.project_id
    where empty_group.agents = 0 and (empty_group.last_seen_at < ${before} or projects.deleted_at is not null)
      and (muted_until is null or muted_until < ${now} or projects.deleted_at is not null) and not ${hasError}
    limit ${limit}`.execute(trx);
  return rows.map(({ id }) => id);
}
