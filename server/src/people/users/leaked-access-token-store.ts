import { type Kysely, sql, type Updateable } from 'kysely';
import type { Tables } from '../../foundation/database/tables.ts';
import { valuesWithDigest } from '../../foundation/database/token-values.ts';
import type { TokenDigest } from '../../foundation/secret.ts';
import type { AccessTokenRow } from './access-token-store.ts';

/** An access token with the value that was found: the current one, or one from before a rotation. */
export type FoundToken = AccessTokenRow & {
  readonly found_number: number;
  readonly is_earlier: number;
  readonly found_ends_at: number | null;
};

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
    from ${valuesWithDigest('access_tokens', digest)} as found
    join access_tokens on access_tokens.id = found.token_id`.execute(db);
  return rows[0];
}
