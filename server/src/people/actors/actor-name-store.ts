import { sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import { isAnyID } from '../../foundation/database/is-any-id.ts';

/** The names by id, of those that still exist. */
export async function listNames(
  { engine, read }: Pick<Database, 'engine' | 'read'>,
  table: 'users' | 'project_tokens',
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await read
    .selectFrom(table)
    .select(['id', 'name'])
    .where(isAnyID(engine, sql.ref('id'), ids))
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
