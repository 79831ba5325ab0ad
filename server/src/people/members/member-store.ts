import type { Insertable, Kysely, Selectable } from 'kysely';
import { newestFirst } from '../../foundation/database/newest-first.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import type { Page } from '../../foundation/list-page.ts';

export type MemberRow = Selectable<Tables['project_members']> & { readonly name: string };

export type MemberChange = Pick<MemberRow, 'role' | 'permissions'>;

export async function listMembers(db: Kysely<Tables>, projectID: string, page: Page): Promise<MemberRow[]> {
  const query = selectMembers(db).where('project_members.project_id', '=', projectID);
  return newestFirst(query, 'project_members.id', page).execute();
}

export async function findMember(
  db: Kysely<Tables>,
  projectID: string,
  userID: string,
): Promise<MemberRow | undefined> {
  return selectMembers(db)
    .where('project_members.project_id', '=', projectID)
    .where('project_members.user_id', '=', userID)
    .executeTakeFirst();
}

/** Returns false if the user is a member already. */
export async function insertMember(
  db: Kysely<Tables>,
  row: Insertable<Tables['project_members']>,
): Promise<boolean> {
  const result = await db
    .insertInto('project_members')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'project_id']).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function updateMember(db: Kysely<Tables>, id: string, change: MemberChange): Promise<void> {
  await db.updateTable('project_members').set(change).where('id', '=', id).execute();
}

export async function deleteMember(db: Kysely<Tables>, id: string): Promise<void> {
  await db.deleteFrom('project_members').where('id', '=', id).execute();
}

/** True if somebody else than this user owns the project. */
export async function hasOtherOwner(db: Kysely<Tables>, projectID: string, userID: string): Promise<boolean> {
  const row = await db
    .selectFrom('project_members')
    .select('id')
    .where('project_id', '=', projectID)
    .where('role', '=', 'owner')
    .where('user_id', '!=', userID)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

function selectMembers(db: Kysely<Tables>) {
  return db
    .selectFrom('project_members')
    .innerJoin('users', 'users.id', 'project_members.user_id')
    .selectAll('project_members')
    .select('users.name as name');
}

export async function isMember(db: Kysely<Tables>, projectID: string, userID: string): Promise<boolean> {
  const row = await db
    .selectFrom('project_members')
    .select('id')
    .where('project_id', '=', projectID)
    .where('user_id', '=', userID)
    .executeTakeFirst();
  return row !== undefined;
}
