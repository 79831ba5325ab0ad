import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '../../../foundation/database/database.ts';
import { deleteInPortions } from '../../../foundation/database/delete-in-portions.ts';
import type { Engine } from '../../../foundation/database/migrations/column-types.ts';
import { newestFirst } from '../../../foundation/database/newest-first.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import { isAnyOf } from '../../../foundation/database/text-matching.ts';
import type { Page } from '../../../foundation/list-page.ts';
import type { TokenDigest } from '../../../foundation/secret.ts';
import {
  type Membership,
  memberColumns,
  toMembership,
  toUserRow,
  type UserWithMemberships,
  userColumns,
} from '../user-store.ts';

export type SessionRow = Selectable<Tables['sessions']>;

export async function insertSession(db: Kysely<Tables>, row: Insertable<Tables['sessions']>): Promise<void> {
  await db.insertInto('sessions').values(row).execute();
}

/** The access token with which a session was created. */
interface SessionToken {
  readonly expiresAt: number | null;
  readonly isRevoked: boolean;
  /** JSON, as stored. */
  readonly narrowing: { readonly permissions: string | null; readonly project_ids: string | null };
  /** The value of the token that was used, if it is not the current one. */
  readonly earlierValue: { readonly endsAt: number | null } | undefined;
}

export interface FoundSession extends UserWithMemberships {
  readonly session: SessionRow;
  /** Undefined for a session that the identity provider allowed, and for a token that is gone: see `access_token_id`. */
  readonly token: SessionToken | undefined;
}

/** Sessions by the digests of their secrets, with all that decides whether and what they may do, from the same snapshot. */
export async function listSessionsByDigest(
  { engine, read }: Database,
  digests: readonly string[],
): Promise<FoundSession[]> {
  const rows = await read
    .selectFrom('sessions')
    .where(isAnyOf(engine, sql.ref('sessions.digest'), digests))
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .leftJoin('access_tokens', 'access_tokens.id', 'sessions.access_token_id')
    .leftJoin('earlier_secrets', (join) =>
      join
        .onRef('earlier_secrets.token_id', '=', 'sessions.access_token_id')
        .onRef('earlier_secrets.number', '=', 'sessions.token_number'),
    )
    .leftJoin('project_members', 'project_members.user_id', 'users.id')
    .leftJoin('projects as member_projects', (join) =>
      join.onRef('member_projects.id', '=', 'project_members.project_id').on('deleted_at', 'is', null),
    )
    .selectAll('sessions')
    .select(userColumns)
    .select([
      'access_tokens.secret_number as token_current_number',
      'access_tokens.expires_at as token_expires_at',
      'access_tokens.revoked_at as token_revoked_at',
      'access_tokens.permissions as token_permissions',
      'access_tokens.project_ids as token_project_ids',
      'earlier_secrets.digest as earlier_digest',
      'earlier_secrets.ends_at as earlier_ends_at',
    ])
    .select(memberColumns)
    .execute();
  const found = new Map<string, FoundSession & { memberships: Membership[] }>();
  for (const row of rows) {
    const memberships = found.get(row.digest)?.memberships ?? [];
    memberships.push(...toMembership(row));
    const user = toUserRow(row);
    found.set(row.digest, { session: row, user, memberships, token: toToken(row) });
  }
  return [...found.values()];
}

interface TokenColumns {
  readonly token_number: number | null;
  readonly token_current_number: number | null;
  readonly token_expires_at: number | null;
  readonly token_revoked_at: number | null;
  readonly token_permissions: string | null;
  readonly token_project_ids: string | null;
  readonly earlier_digest: string | null;
  readonly earlier_ends_at: number | null;
}

function toToken(row: TokenColumns): SessionToken | undefined {
  if (row.token_current_number === null) return undefined;
  const isEarlier = row.token_number !== row.token_current_number;
  return {
    expiresAt: row.token_expires_at,
    // An earlier value that is no longer stored ended long ago.
    isRevoked: row.token_revoked_at !== null || (isEarlier && row.earlier_digest === null),
    narrowing: { permissions: row.token_permissions, project_ids: row.token_project_ids },
    earlierValue: isEarlier && row.earlier_digest !== null ? { endsAt: row.earlier_ends_at } : undefined,
  };
}

export type SessionWithUser = SessionRow & { readonly user_name: string };

/** What to list: sessions of one user. */
export interface SessionFilter {
  readonly userID: string;
  /** Only those that were created with this access token; undefined: all. */
  readonly accessTokenID: string | undefined;
  /** Sessions that were used since then, in milliseconds. */
  readonly usedAfter: number;
  readonly now: number;
}

/** Sessions that have not ended by themselves, whatever became of their access tokens. */
export async function listSessions(
  db: Kysely<Tables>,
  { userID, accessTokenID, usedAfter, now }: SessionFilter,
  page: Page,
): Promise<SessionWithUser[]> {
  let query = db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .leftJoin('access_tokens', 'access_tokens.id', 'sessions.access_token_id')
    .leftJoin('earlier_secrets', (join) =>
      join
        .onRef('earlier_secrets.token_id', '=', 'sessions.access_token_id')
        .onRef('earlier_secrets.number', '=', 'sessions.token_number'),
    )
    .selectAll('sessions')
    .select('users.name as user_name')
    .where('sessions.user_id', '=', userID)
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.expires_at', '>', now)
    .where('sessions.last_used_at', '>', usedAfter)
    .where((eb) =>
      eb.or([
        eb('sessions.access_token_id', 'is', null),
        eb.and([
          eb('access_tokens.revoked_at', 'is', null),
          eb.or([eb('access_tokens.expires_at', 'is', null), eb('access_tokens.expires_at', '>', now)]),
          eb.or([
            eb('access_tokens.secret_number', '=', eb.ref('sessions.token_number')),
            eb.and([
              eb('earlier_secrets.digest', 'is not', null),
              eb.or([eb('earlier_secrets.ends_at', 'is', null), eb('earlier_secrets.ends_at', '>', now)]),
            ]),
          ]),
        ]),
      ]),
    );
  if (accessTokenID !== undefined) query = query.where('sessions.access_token_id', '=', accessTokenID);
  return newestFirst(query, 'sessions.id', page).execute();
}

export async function findSession(db: Kysely<Tables>, id: string): Promise<SessionRow | undefined> {
  return db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findSessionByDigest(
  db: Kysely<Tables>,
  digest: TokenDigest,
): Promise<SessionRow | undefined> {
  return db.selectFrom('sessions').selectAll().where('digest', '=', digest).executeTakeFirst();
}

/**
 * Reads a session and locks it until the transaction ends: it is not revoked meanwhile.
 */
export async function lockSession(
  db: Kysely<Tables>,
  engine: Engine,
  id: string,
): Promise<SessionRow | undefined> {
  const query = db.selectFrom('sessions').selectAll().where('id', '=', id);
  // SQLite has one transaction at a time.
  return (engine === 'postgres' ? query.forShare() : query).executeTakeFirst();
}

/** Returns whether it was not revoked before. */
export async function revokeSession(db: Kysely<Tables>, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Removes sessions and links that ended before a time. A session that was revoked stays until it would have ended. */
export async function deleteEnded({ write }: Database, closing: AbortSignal, before: number): Promise<void> {
  for (const table of ['sessions', 'sign_in_links'] as const) {
    await deleteInPortions(closing, async (limit) => {
      const ended = write.selectFrom(table).select('id').where('expires_at', '<=', before).limit(limit);
      const { numDeletedRows } = await write.deleteFrom(table).where('id', 'in', ended).executeTakeFirst();
      return Number(numDeletedRows);
    });
  }
}
