import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { StoredRole } from '../../foundation/credentials/stored-role.ts';
import type { Database } from '../../foundation/database/database.ts';
import { isAnyID } from '../../foundation/database/is-any-id.ts';
import { newestFirst } from '../../foundation/database/newest-first.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import type { Page } from '../../foundation/list-page.ts';

export type UserRow = Selectable<Tables['users']>;

/** What decides the access of a user. */
export interface UserWithMemberships {
  readonly user: UserRow;
  readonly memberships: readonly Membership[];
}

export interface Membership extends StoredRole {
  readonly projectID: string;
}

export async function hasUsers(db: Kysely<Tables>): Promise<boolean> {
  const row = await db.selectFrom('users').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}

/**
 * The user that the installation itself creates: the administrator of its first start. Users who signed up with an invitation have no issuer either,
 * and their ids are older if the clock was set back.
 */
export async function findAdministrator(db: Kysely<Tables>): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('issuer', 'is', null)
    .where('is_administrator', '=', 1)
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
    .leftJoin('projects as member_projects', (join) =>
      join.onRef('member_projects.id', '=', 'project_members.project_id').on('deleted_at', 'is', null),
    )
    .selectAll('users')
    .select(memberColumns);
}

/** Of the user of a row that has `user_id`. */
export const userColumns = [
  'users.name as user_name',
  'users.issuer as user_issuer',
  'users.subject as user_subject',
  'users.created_at as user_created_at',
  'users.is_administrator as user_is_administrator',
  'users.claim_values as user_claim_values',
  'users.claims_at as user_claims_at',
] as const;

type UserColumns = { readonly [Name in keyof UserRow as `user_${Name}`]: UserRow[Name] };

export function toUserRow(row: UserColumns): UserRow {
  return {
    id: row.user_id,
    name: row.user_name,
    issuer: row.user_issuer,
    subject: row.user_subject,
    created_at: row.user_created_at,
    is_administrator: row.user_is_administrator,
    claim_values: row.user_claim_values,
    claims_at: row.user_claims_at,
  };
}

/** Of a membership, if its project exists. */
export const memberColumns = [
  'member_projects.id as member_project_id',
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

export function toMembership(row: MemberColumns): Membership[] {
  const { member_project_id: projectID, member_role: role, member_permissions: permissions } = row;
  return projectID === null || role === null ? [] : [{ projectID, role, permissions }];
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

export type UserRowWithCount = UserRow & { readonly projects_count: number };

export async function listUsers(db: Kysely<Tables>, page: Page): Promise<UserRowWithCount[]> {
  const query = db
    .selectFrom('users')
    .selectAll('users')
    .select(
      sql<number>`(
        select count(*) from project_members join projects on projects.id = project_members.project_id
        where project_members.user_id = users.id and projects.deleted_at is null
      )`.as('projects_count'),
    );
  return newestFirst(query, 'users.id', page).execute();
}
