import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import type { Tables } from '../../foundation/database/tables.ts';

export type LeakRow = Selectable<Tables['token_leaks']>;

/** Stores reports, with one statement however many there are. */
export async function insertLeaks(
  { write }: Database,
  rows: readonly Insertable<Tables['token_leaks']>[],
): Promise<void> {
  await write.insertInto('token_leaks').values(rows).execute();
}

/** The oldest reports that are not dealt with. */
export async function listLeaks(db: Kysely<Tables>, limit: number): Promise<LeakRow[]> {
  return db.selectFrom('token_leaks').selectAll().orderBy('id').limit(limit).execute();
}

export async function deleteLeaks(db: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  await db.deleteFrom('token_leaks').where('id', 'in', ids).execute();
}
