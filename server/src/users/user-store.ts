import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { isAnyID } from '../database/is-any-id.ts';
import { lastUsedStatement } from '../database/last-used-statement.ts';
import type { Engine } from '../database/migrations/column-types.ts';
import type { Tables } from '../database/tables.ts';
import { isAnyOf } from '../database/text-matching.ts';
import { writeRows } from '../database/write-rows.ts';
import type { Page } from '../page.ts';
import type { StoredRole } from './user-access.ts';

export type UserRow = Selectable<Tables['users']>;
export type AccessTokenRow = Selectable<Tables['access_tokens']>;

/** What decides the access of a user. */
export interface UserWithMemberships {
  readonly user: UserRow;
  readonly memberships: readonly Membership[];
}

interface Membership extends StoredRole {
  readonly projectID: string;
}

export interface TokenWithUser extends UserWithMemberships {
  readonly token: AccessTokenRow;
}

export async function hasUsers(db: Kysely<Tables>): Promise<boolean> {
  const row = await db.selectFrom('users').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}

/** The user that the installation itself creates: the administrator of its first start, before any other user. */
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

/**
 * Creates the user of an identity provider at the first sign-in, and updates what a later token says of the user. An older token changes nothing of
 * what a newer one has said of the user's groups. Returns the user.
 */
export async function upsertProvidedUser(
  db: Kysely<Tables>,
  row: Insertable<Tables['users']> & { readonly issuer: string; readonly subject: string },
): Promise<UserRow> {
  const isNewer = sql<boolean>`excluded.claims_at >= coalesce(users.claims_at, 0)`;
  return db
    .insertInto('users')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['issuer', 'subject']).doUpdateSet({
        name: row.name,
        claim_values: sql`case when ${isNewer} then excluded.claim_values else users.claim_values end`,
        claims_at: sql`case when ${isNewer} then excluded.claims_at else users.claims_at end`,
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function findProvidedUser(
  db: Kysely<Tables>,
  issuer: string,
  subject: string,
): Promise<UserWithMemberships | undefined> {
  const rows = await selectUsers(db)
    .where('users.issuer', '=', issuer)
    .where('users.subject', '=', subject)
    .execute();
  return toUsers(rows)[0];
}

/** A user with the memberships from the same snapshot. */
export async function findUser(db: Kysely<Tables>, id: string): Promise<UserWithMemberships | undefined> {
  const rows = await selectUsers(db).where('users.id', '=', id).execute();
  return toUsers(rows)[0];
}

function selectUsers(db: Kysely<Tables>) {
  return db
    .selectFrom('users')
    .leftJoin('project_members', 'project_members.user_id', 'users.id')
    .selectAll('users')
    .select(memberColumns);
}

const memberColumns = [
  'project_members.project_id as member_project_id',
  'project_members.role as member_role',
  'project_members.permissions as member_permissions',
] as const;

/** One row for each membership of a user, or one without a membership. */
interface MemberColumns {
  readonly member_project_id: string | null;
  readonly member_role: string | null;
  readonly member_permissions: string | null;
}

function toUsers(rows: readonly (UserRow & MemberColumns)[]): UserWithMemberships[] {
  const found = new Map<string, { user: UserRow; memberships: Membership[] }>();
  for (const { member_project_id, member_role, member_permissions, ...user } of rows) {
    const memberships = found.get(user.id)?.memberships ?? [];
    memberships.push(...toMembership({ member_project_id, member_role, member_permissions }));
    found.set(user.id, { user, memberships });
  }
  return [...found.values()];
}

function toMembership(row: MemberColumns): Membership[] {
  const { member_project_id: projectID, member_role: role, member_permissions: permissions } = row;
  return projectID === null || role === null ? [] : [{ projectID, role, permissions }];
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
): Promise<AccessTokenRow | undefined> {
  return db.selectFrom('access_tokens').selectAll().where('digest', '=', digest).executeTakeFirst();
}

export async function findAccessToken(db: Kysely<Tables>, id: string): Promise<AccessTokenRow | undefined> {
  return db.selectFrom('access_tokens').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Access tokens by the digests of their values, with what decides the access of their users, from the same snapshot. */
export async function listAccessTokensByDigest(
  { engine, read }: Database,
  digests: readonly string[],
): Promise<TokenWithUser[]> {
  const rows = await read
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .leftJoin('project_members', 'project_members.user_id', 'users.id')
    .selectAll('access_tokens')
    .select([
      'users.name as user_name',
      'users.issuer as user_issuer',
      'users.subject as user_subject',
      'users.created_at as user_created_at',
      'users.is_administrator as user_is_administrator',
      'users.claim_values as user_claim_values',
      'users.claims_at as user_claims_at',
    ])
    .select(memberColumns)
    .where(isAnyOf(engine, sql.ref('access_tokens.digest'), digests))
    .execute();
  const found = new Map<string, { token: AccessTokenRow; user: UserRow; memberships: Membership[] }>();
  for (const row of rows) {
    const memberships = found.get(row.id)?.memberships ?? [];
    memberships.push(...toMembership(row));
    const user = {
      id: row.user_id,
      name: row.user_name,
      issuer: row.user_issuer,
      subject: row.user_subject,
      created_at: row.user_created_at,
      is_administrator: row.user_is_administrator,
      claim_values: row.user_claim_values,
      claims_at: row.user_claims_at,
    };
    found.set(row.id, { token: row, user, memberships });
  }
  return [...found.values()];
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

export interface NamedProject {
  readonly id: string;
  readonly name: string;
}

/** The newest of some projects that exist. */
export async function listProjectsByID(
  { engine, read }: Database,
  ids: readonly string[],
  limit: number,
): Promise<NamedProject[]> {
  if (ids.length === 0) return [];
  return read
    .selectFrom('projects')
    .select(['id', 'name'])
    .where(isAnyID(engine, sql.ref('id'), ids))
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
