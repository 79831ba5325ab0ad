import { type RawBuilder, sql } from 'kysely';
import type { TokenDigest } from '../secret.ts';
import type { Database } from './database.ts';
import { isAnyOf } from './text-matching.ts';

type TokenTable = 'project_tokens' | 'access_tokens';

type DigestTable =
  | TokenTable
  | 'earlier_secrets'
  | 'agent_tokens'
  | 'invitations'
  | 'sessions'
  | 'sign_in_links';

/** Those of the digests that these tables contain, of valid credentials or not. */
export async function listKnownDigests(
  { engine, write }: Database,
  tables: readonly DigestTable[],
  digests: readonly TokenDigest[],
): Promise<string[]> {
  const isMeant = isAnyOf(engine, sql.ref('digest'), digests);
  const ofEach = tables.map((table) => sql`select digest from ${sql.table(table)} where ${isMeant}`);
  const { rows } = await sql<{ readonly digest: string }>`${sql.join(ofEach, sql` union all `)}`.execute(
    write,
  );
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
