import { type Kysely, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';
import { foldLockName } from './fold-store-postgres.ts';

/**
 * Removes up to `most` groups that have no errors and were seen last before a time, or whose project was deleted; muted ones
 * stay. Returns their number. A group has the same id when its pattern comes again.
 */
export async function deleteEmptyGroups(
  database: Database,
  before: number,
  now: number,
  most: number,
): Promise<number> {
  return database.write.transaction().execute(async (trx) => {
    // On PostgreSQL, this lock keeps other replicas from counting meanwhile.
    await database.takeLock(trx, foldLockName);
    const ids = await listEmptyGroups(trx, database, before, now, most);
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
  most: number,
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
    limit ${most}`.execute(trx);
  return rows.map(({ id }) => id);
}
