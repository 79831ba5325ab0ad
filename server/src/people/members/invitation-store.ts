import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import { deleteInPortions } from '../../foundation/database/delete-in-portions.ts';
import { newestFirst } from '../../foundation/database/newest-first.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import type { Page } from '../../foundation/list-page.ts';
import type { TokenDigest } from '../../foundation/secret.ts';

export type InvitationRow = Selectable<Tables['invitations']>;

export async function insertInvitation(
  db: Kysely<Tables>,
  row: Insertable<Tables['invitations']>,
): Promise<void> {
  await db.insertInto('invitations').values(row).execute();
}

/** Those that can still be accepted. */
export async function listInvitations(
  db: Kysely<Tables>,
  projectID: string,
  now: number,
  page: Page,
): Promise<InvitationRow[]> {
  const query = db
    .selectFrom('invitations')
    .selectAll()
    .where('project_id', '=', projectID)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now);
  return newestFirst(query, 'id', page).execute();
}

export async function countOpenInvitations(
  db: Kysely<Tables>,
  projectID: string,
  now: number,
): Promise<number> {
  const { count } = await db
    .selectFrom('invitations')
    .select(sql<number>`count(*)`.as('count'))
    .where('project_id', '=', projectID)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return count;
}

export async function findInvitation(db: Kysely<Tables>, id: string): Promise<InvitationRow | undefined> {
  return selectInvitations(db).where('invitations.id', '=', id).executeTakeFirst();
}

export async function findInvitationByDigest(
  db: Kysely<Tables>,
  digest: TokenDigest,
): Promise<InvitationRow | undefined> {
  return selectInvitations(db).where('invitations.digest', '=', digest).executeTakeFirst();
}

export async function acceptInvitation(
  db: Kysely<Tables>,
  id: string,
  { userID, at }: { readonly userID: string; readonly at: number },
): Promise<void> {
  await db
    .updateTable('invitations')
    .set({ accepted_at: at, accepted_by_id: userID })
    .where('id', '=', id)
    .execute();
}

export async function revokeInvitation(db: Kysely<Tables>, id: string, at: number): Promise<void> {
  await db.updateTable('invitations').set({ revoked_at: at }).where('id', '=', id).execute();
}

/** Ends what a user has sent in a project and nobody has accepted yet. */
export async function revokeInvitationsOf(
  db: Kysely<Tables>,
  projectID: string,
  { userID, at }: { readonly userID: string; readonly at: number },
): Promise<void> {
  await db
    .updateTable('invitations')
    .set({ revoked_at: at })
    .where('project_id', '=', projectID)
    .where('created_by_id', '=', userID)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Removes invitations that were accepted, were revoked or have expired before a time: they contain addresses of people. */
export async function deleteEndedInvitations(
  { write }: Database,
  closing: AbortSignal,
  before: number,
): Promise<void> {
  await deleteInPortions(closing, async (limit) => {
    const ended = write
      .selectFrom('invitations')
      .select('id')
      .where((eb) =>
        eb.or([
          eb('accepted_at', '<=', before),
          eb('revoked_at', '<=', before),
          eb('expires_at', '<=', before),
        ]),
      )
      .limit(limit);
    const { numDeletedRows } = await write
      .deleteFrom('invitations')
      .where('id', 'in', ended)
      .executeTakeFirst();
    return Number(numDeletedRows);
  });
}

/** Of projects that exist. */
function selectInvitations(db: Kysely<Tables>) {
  return db
    .selectFrom('invitations')
    .innerJoin('projects', 'projects.id', 'invitations.project_id')
    .where('projects.deleted_at', 'is', null)
    .selectAll('invitations');
}
