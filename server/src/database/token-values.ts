import { type RawBuilder, sql } from 'kysely';
import type { TokenDigest } from '../secret.ts';
import type { Database } from './database.ts';
import { isAnyOf } from './text-matching.ts';

type TokenTable = 'project_tokens' | 'access_tokens';

/** Those of the digests that are of current values in this table, or of values from before a rotation of any token. */
export async function listValueDigests(
  { engine, write }: Database,
  table: TokenTable,
  digests: readonly TokenDigest[],
): Promise<string[]> {
  const isMeant = isAnyOf(engine, sql.ref('digest'), digests);
  const { rows } = await sql<{ readonly digest: string }>`
    select digest from ${sql.table(table)} where ${isMeant}
    union all
    select digest from earlier_secrets where ${isMeant}`.execute(write);
  return rows.map(({ digest }) => digest);
}

/** For `from`: token_id, number, is_earlier and ends_at of a value, the current one in this table or one from before a rotation of any token. */
export function valuesWithDigest(table: TokenTable, digest: TokenDigest): RawBuilder<unknown> {
  return sql`(
    select id as token_id, secret_number as number, 0 as is_earlier, cast(null as bigint) as ends_at
    from ${sql.table(table)} where digest = ${digest}
    union all
    select token_id, number, 1, ends_at from earlier_secrets where digest = ${digest}
  )`;
}
