import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

/** Selects what tells an installation from others: the id of its first user. No row before its first start. */
export const selectInstallationID = 'select id from users order by id limit 1';

export async function readInstallationID(db: Kysely<Tables>): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`${sql.raw(selectInstallationID)}`.execute(db);
  return rows[0]?.id;
}
