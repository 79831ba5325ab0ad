import { type Kysely, sql, type Updateable } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { isAnyOf } from '../database/text-matching.ts';
import type { TokenDigest } from '../secret.ts';
import type { AccessTokenRow } from './access-token-store.ts';

/** An access token with the value that was found: the current one, or one from before a rotation. */
export type FoundToken = AccessTokenRow & {
  readonly found_number: number;
  readonly is_earlier: number;
  readonly found_ends_at: number | null;
};

/** Those of the digests that are of values of access tokens, or of earlier values of any token. */
export async function listLeakedDigests(
  { engine, write }: Database,
  digests: readonly TokenDigest[],
): Promise<string[]> {
  const isReported = isAnyOf(engine, sql.ref('digest'), digests);
  const { rows } = await sql<{ readonly digest: string }>`
    select digest from access_tokens where ${isReported}
    union all
    select digest from earlier_secrets where ${isReported}`.execute(write);
  return rows.map(({ digest }) => digest);
}

export async function markLeaked(
  db: Kysely<Tables>,
  id: string,
  leak: Pick<Updateable<Tables['access_tokens']>, 'leaked_at' | 'leak_source' | 'leaked_number'>,
): Promise<void> {
  await db.updateTable('access_tokens').set(leak).where('id', '=', id).execute();
}

export async function findByValue(db: Kysely<Tables>, digest: TokenDigest): Promise<FoundToken | undefined> {
  const { rows } = await sql<FoundToken>`
    select access_tokens.*, found.number as found_number, found.is_earlier, found.ends_at as found_ends_at
    from (
      select id as token_id, secret_number as number, 0 as is_earlier, cast(null as bigint) as ends_at
      from access_tokens where digest = ${digest}
      union all
      select token_id, number, 1, ends_at from earlier_secrets where digest = ${digest}
    ) as found
    join access_tokens on access_tokens.id = found.token_id`.execute(db);
  return rows[0];
}
