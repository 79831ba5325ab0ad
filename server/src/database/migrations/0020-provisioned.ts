import { type Kysely, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from './column-types.ts';

/**
 * What provisioning files have made: by kind, and by id or by the digest of a value. Rows stay when the thing itself is gone, so that the next start does
 * not bring back what a person has ended.
 */
export async function addProvisioned(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, integer } = columnTypes(engine);
  await sql`create table provisioned (
    kind ${text} not null,
    key ${text} not null,
    applied_at ${integer} not null,
    primary key (kind, key)
  ) ${tableOptions(engine)}`.execute(db);
}
