import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { TokenDigest } from '../../../foundation/secret.ts';

export type SignInLinkRow = Selectable<Tables['sign_in_links']>;

export async function insertSignInLink(
  db: Kysely<Tables>,
  row: Insertable<Tables['sign_in_links']>,
): Promise<void> {
  await db.insertInto('sign_in_links').values(row).execute();
}

/** A link with the name of its user. */
export async function findSignInLink(
  db: Kysely<Tables>,
  digest: TokenDigest,
): Promise<(SignInLinkRow & { readonly user_name: string }) | undefined> {
  return db
    .selectFrom('sign_in_links')
    .innerJoin('users', 'users.id', 'sign_in_links.user_id')
    .selectAll('sign_in_links')
    .select('users.name as user_name')
    .where('digest', '=', digest)
    .executeTakeFirst();
}

/** Those of a user that have not expired, used ones too. The newest first. */
export async function listUnexpiredLinks(
  db: Kysely<Tables>,
  userID: string,
  now: number,
): Promise<Pick<SignInLinkRow, 'created_at' | 'expires_at' | 'used_at'>[]> {
  return db
    .selectFrom('sign_in_links')
    .select(['created_at', 'expires_at', 'used_at'])
    .where('user_id', '=', userID)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .execute();
}

/** Returns false if another request has used the link, or if it was reported as leaked. */
export async function useSignInLink(db: Kysely<Tables>, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sign_in_links')
    .set({ used_at: at })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
