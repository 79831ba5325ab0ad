import { type Insertable, sql } from 'kysely';
import { errorChangeKinds } from '../../errors/groups/counting/error-changes.ts';
import type { Database } from '../../foundation/database/database.ts';
import { placeOfID } from '../../foundation/database/id-place.ts';
import type { Tables } from '../../foundation/database/tables.ts';

/** Where each engine keeps errors: `agent_errors` is a view on SQLite. */
export function errorTableOf({ engine }: Pick<Database, 'engine'>): string {
  return engine === 'sqlite' ? 'agent_error_rows' : 'agent_errors';
}

/** Stores errors directly in the database, without the service. */
export async function insertErrors(
  database: Database,
  rows: readonly Insertable<Tables['agent_errors']>[],
): Promise<void> {
  if (database.engine === 'postgres') {
    await database.write.insertInto('agent_errors').values(rows).execute();
    return;
  }
  const ids = [...new Set(rows.flatMap(({ agent_id, project_id }) => [agent_id, project_id]))];
  await database.sqlite.rows({
    sql: 'insert into id_keys (id) values (?) on conflict do nothing',
    rows: ids.map((id) => [id]),
  });
  await database.sqlite.rows({
    sql: `insert into agent_error_rows (
        place, id_rest, agent_key, project_key, epoch, digest, occurrences, last_seen_at, dismissed_at, error
      ) values (?1, ?2, (select key from id_keys where id = ?3), (select key from id_keys where id = ?4),
        ?5, ?6, ?7, ?8, ?9, ?10)`,
    rows: rows.map((row) => [
      placeOfID(row.id)?.place ?? null,
      placeOfID(row.id)?.rest ?? null,
      row.agent_id,
      row.project_id,
      row.epoch,
      row.error_digest[0] ?? 0,
      row.occurrences,
      row.last_seen_at,
      row.dismissed_at ?? null,
      row.error,
    ]),
  });
  await database.sqlite.rows({
    sql: `insert into agent_error_changes (kind, agent_key, epoch, place, opened, dismissed, occurrences)
      select ?2, agent_key, epoch, place, 0, 0, 0 from agent_error_rows where place = ?1`,
    rows: rows.map((row) => [placeOfID(row.id)?.place ?? null, errorChangeKinds.ungrouped]),
  });
}

/** Dismisses or reopens all errors directly in the database. @param at milliseconds; null: reopens them */
export async function dismissAllErrors(database: Database, at: number | null): Promise<void> {
  await sql`update ${sql.table(errorTableOf(database))} set dismissed_at = ${at}`.execute(database.write);
}

/** Removes the errors with greater ids directly in the database. */
export async function deleteErrorsAfter(database: Database, id: string): Promise<void> {
  if (database.engine === 'postgres') {
    await database.write.deleteFrom('agent_errors').where('id', '>', id).execute();
    return;
  }
  await database.sqlite.rows({
    sql: 'delete from agent_error_rows where place > ?',
    rows: [[placeOfID(id)?.place ?? null]],
  });
}
