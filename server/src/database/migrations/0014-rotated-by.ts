import { type Kysely, sql } from 'kysely';
import { columnTypes, type Engine } from './column-types.ts';

/** The user who got the current value of a project token by a rotation. Null: somebody else, or an older version rotated it. */
export async function addRotatedBy(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id } = columnTypes(engine);
  await sql`alter table project_tokens add column rotated_by_id ${id}`.execute(db);
}
