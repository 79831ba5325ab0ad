import type { Kysely } from 'kysely';
import type { Tables } from '../../../foundation/database/tables.ts';

/** What the project is called now. */
export async function findProjectName(db: Kysely<Tables>, projectID: string): Promise<string> {
  const row = await db.selectFrom('projects').select('name').where('id', '=', projectID).executeTakeFirst();
  return row?.name ?? '';
}
