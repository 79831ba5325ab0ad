import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { lastUsedStatement } from '../database/last-used-statement.ts';
import type { Engine } from '../database/migrations/column-types.ts';
import type { Tables } from '../database/tables.ts';
import { isAnyOf } from '../database/text-matching.ts';
import { writeRows } from '../database/write-rows.ts';
import type { Page } from '../page.ts';

export type UserRow = Selectable<Tables['users']>;
export type AccessTokenRow = Selectable<Tables['access_tokens']>;
export type AccessTokenRowWithUser = AccessTokenRow & {
  readonly user_name: string;
  readonly user_issuer: string | null;
};

export async function hasUsers(db: Kysely<Tables>): Promise<boolean> {
  const row = await db.selectFrom('users').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}

/** The user that the installation itself creates: the administrator of its first start. */
export async function findAdministrator(db: Kysely<Tables>): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('issuer', 'is', null)
    .orderBy('id', 'asc')
    .limit(1)
    .executeTakeFirst();
}

export async function insertUser(db: Kysely<Tables>, row: Insertable<Tables['users']>): Promise<void> {
  await db.insertInto('users').values(row).execute();
}

/** Creates the user of an identity provider at the first sign-in, updates a changed name, and returns the user. */
export async function upsertProvidedUser(
  db: Kysely<Tables>,
  row: Insertable<Tables['users']> & { readonly issuer: string; readonly subject: string },
): Promise<UserRow> {
  return db
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doUpdateSet({ name: row.name }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function findProvidedUser(
  db: Kysely<Tables>,
  issuer: string,
  subject: string,
): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

export async function insertAccessToken(
  db: Kysely<Tables>,
  row: Insertable<Tables['access_tokens']>,
): Promise<void> {
  await db.insertInto('access_tokens').values(row).execute();
}

export async function findAccessTokenByDigest(
  db: Kysely<Tables>,
  digest: string,
): Promise<AccessTokenRowWithUser | undefined> {
  return db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .selectAll('access_tokens')
    .select(['users.name as user_name', 'users.issuer as user_issuer'])
    .where('access_tokens.digest', '=', digest)
    .executeTakeFirst();
}

export async function listAccessTokensByDigest(
  { engine, read }: Database,
  digests: readonly string[],
): Promise<AccessTokenRowWithUser[]> {
  return read
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .selectAll('access_tokens')
    .select(['users.name as user_name', 'users.issuer as user_issuer'])
    .where(isAnyOf(engine, sql.ref('access_tokens.digest'), digests))
    .execute();
}

/** Access tokens of a user that are not revoked. */
export async function listAccessTokens(
  db: Kysely<Tables>,
  userID: string,
  page: Page,
): Promise<AccessTokenRow[]> {
  let query = db
    .selectFrom('access_tokens')
    .selectAll()
    .where('user_id', '=', userID)
    .where('revoked_at', 'is', null);
  if (page.before !== undefined) query = query.where('id', '<', page.before);
  return query
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
}

/** Returns false if the user has no such token; true for one that is already revoked. */
export async function revokeAccessToken(
  db: Kysely<Tables>,
  userID: string,
  id: string,
  revokedAt: number,
): Promise<boolean> {
  const result = await db
    .updateTable('access_tokens')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(revokedAt)) }))
    .where('id', '=', id)
    .where('user_id', '=', userID)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Locks the tokens that the installation's settings define until the transaction ends, in the order of their ids: see
 * credential-freshness.ts for the order of all locks.
 */
export async function lockInitialTokens(db: Kysely<Tables>, engine: Engine, userID: string): Promise<void> {
  // SQLite has one transaction at a time.
  if (engine === 'sqlite') return;
  await db
    .selectFrom('access_tokens')
    .select('id')
    .where('user_id', '=', userID)
    .where('is_initial', '=', 1)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

/** Revokes the tokens that the installation's settings defined, except the one with this digest; returns whether there were any. */
export async function revokeOtherInitialTokens(
  db: Kysely<Tables>,
  userID: string,
  digest: string,
  revokedAt: number,
): Promise<boolean> {
  const result = await db
    .updateTable('access_tokens')
    .set({ revoked_at: revokedAt })
    .where('user_id', '=', userID)
    .where('is_initial', '=', 1)
    .where('digest', '!=', digest)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Makes a revoked token valid again when the settings define it anew. */
export async function restoreInitialToken(db: Kysely<Tables>, id: string): Promise<void> {
  await db.updateTable('access_tokens').set({ revoked_at: null }).where('id', '=', id).execute();
}

const lastUsed = lastUsedStatement('access_tokens');

/** Records when each token was last used, by its id. An earlier time than the recorded one changes nothing. */
export async function updateLastUsed(database: Database, usedAt: ReadonlyMap<string, number>): Promise<void> {
  await writeRows(database, lastUsed, [...usedAt]);
}
