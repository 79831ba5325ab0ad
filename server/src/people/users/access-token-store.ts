import { newCredentialsPerMinute } from '@muster/contract';
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import { newestFirst } from '../../foundation/database/newest-first.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { isAnyOf } from '../../foundation/database/text-matching.ts';
import type { Page } from '../../foundation/list-page.ts';
import type { TokenDigest } from '../../foundation/secret.ts';
import {
  type Membership,
  memberColumns,
  toMembership,
  toUserRow,
  type UserWithMemberships,
  userColumns,
} from './user-store.ts';

export type AccessTokenRow = Selectable<Tables['access_tokens']>;

interface TokenWithUser extends UserWithMemberships {
  readonly token: AccessTokenRow;
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
/** A token that was found by one of its values. */
type PresentedAccessToken = TokenWithUser & {
  readonly value: {
    readonly digest: string;
    readonly number: number;
    /** True if it is from before a rotation. */
    readonly isEarlier: boolean;
    readonly endsAt: number | null;
    /** True if its first use ends earlier values, or the repetition of an answer. */
    readonly isAwaited: boolean;
  };
};

export async function listAccessTokensByDigest(
  { engine, read }: Database,
  digests: readonly string[],
  now: number,
): Promise<PresentedAccessToken[]> {
  const isPresented = isAnyOf(engine, sql.ref('digest'), digests);
  const rows = await read
    .with(
      (named) => named('presented').materialized(),
      (db) =>
        db
          .selectFrom('access_tokens')
          .where(isPresented)
          .select(['digest as presented_digest', 'id as token_id', 'secret_number as presented_number'])
          .select(sql<number | null>`cast(null as bigint)`.as('ends_at'))
          .unionAll(
            db
              .selectFrom('earlier_secrets')
              .where(isPresented)
              .select(['digest as presented_digest', 'token_id', 'number as presented_number', 'ends_at']),
          ),
    )
    .selectFrom('presented')
    .innerJoin('access_tokens', 'access_tokens.id', 'presented.token_id')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .leftJoin('project_members', 'project_members.user_id', 'users.id')
    .leftJoin('projects as member_projects', (join) =>
      join.onRef('member_projects.id', '=', 'project_members.project_id').on('deleted_at', 'is', null),
    )
    .selectAll('access_tokens')
    .select(['presented.presented_digest', 'presented.presented_number', 'presented.ends_at'])
    .select(
      sql<number>`case when exists (
        select 1 from earlier_secrets as awaiting
        where awaiting.token_id = access_tokens.id and awaiting.number < presented.presented_number
          and awaiting.retires_on_use = 1 and (awaiting.ends_at is null or awaiting.ends_at > ${now})
      ) or exists (
        select 1 from rotations
        where rotations.token_id = access_tokens.id and rotations.number = presented.presented_number
          and rotations.salt is not null
      ) then 1 else 0 end`.as('is_awaited'),
    )
    .select(userColumns)
    .select(memberColumns)
    .execute();
  const found = new Map<string, PresentedAccessToken & { memberships: Membership[] }>();
  for (const row of rows) {
    const memberships = found.get(row.presented_digest)?.memberships ?? [];
    memberships.push(...toMembership(row));
    const user = toUserRow(row);
    const value = {
      digest: row.presented_digest,
      number: row.presented_number,
      isEarlier: row.presented_number !== row.secret_number,
      endsAt: row.ends_at,
      isAwaited: row.is_awaited === 1,
    };
    found.set(value.digest, { token: row, user, memberships, value });
  }
  return [...found.values()];
}

/** True if the user has such a token, revoked or not. @param ancestorID as for `listAccessTokens` */
export async function hasAccessToken(
  db: Kysely<Tables>,
  userID: string,
  ancestorID: string | undefined,
  id: string,
): Promise<boolean> {
  let query = db.selectFrom('access_tokens').select('id').where('id', '=', id).where('user_id', '=', userID);
  if (ancestorID !== undefined) query = query.where('id', 'in', lineageBelow(ancestorID));
  return (await query.executeTakeFirst()) !== undefined;
}

/** Access tokens of a user that are not revoked. */
export async function listAccessTokens(
  db: Kysely<Tables>,
  userID: string,
  /** Only this token and those that were created with it; undefined: all. */
  ancestorID: string | undefined,
  page: Page,
): Promise<AccessTokenRow[]> {
  let query = db
    .selectFrom('access_tokens')
    .selectAll()
    .where('user_id', '=', userID)
    .where('revoked_at', 'is', null);
  if (ancestorID !== undefined) query = query.where('id', 'in', lineageBelow(ancestorID));
  return newestFirst(query, 'id', page).execute();
}

export async function countValidAccessTokens(
  db: Kysely<Tables>,
  userID: string,
  now: number,
): Promise<number> {
  const { count } = await db
    .selectFrom('access_tokens')
    .select(sql<number>`count(*)`.as('count'))
    .where('user_id', '=', userID)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirstOrThrow();
  return count;
}

/** When the newest tokens of a user were created, revoked ones too. The newest first. */
export async function listCreationTimes(db: Kysely<Tables>, userID: string): Promise<number[]> {
  const rows = await db
    .selectFrom('access_tokens')
    .select('created_at')
    .where('user_id', '=', userID)
    .orderBy('id', 'desc')
    .limit(newCredentialsPerMinute.accessToken)
    .execute();
  return rows.map(({ created_at: at }) => at);
}

/**
 * Reads a token of a user and locks it until the transaction ends: it is not revoked meanwhile, so that a token that is created with it is revoked
 * together with it.
 */
export async function lockForCreation(
  db: Kysely<Tables>,
  engine: Engine,
  id: string,
): Promise<AccessTokenRow | undefined> {
  const query = db.selectFrom('access_tokens').selectAll().where('id', '=', id);
  // SQLite has one transaction at a time.
  return (engine === 'postgres' ? query.forShare() : query).executeTakeFirst();
}

/**
 * Revokes tokens and everything that was created with them. Returns the ids of all of them, also of those that were revoked before.
 */
export async function revokeAccessTokens(
  db: Kysely<Tables>,
  engine: Engine,
  ids: readonly string[],
  revokedAt: number,
): Promise<string[]> {
  const all = new Set(ids);
  for (const id of ids) {
    // Again until none is new: what is created meanwhile appears when its creator's lock is free.
    for (let isComplete = false; !isComplete; ) {
      const found = await lockLineage(db, engine, id);
      for (const one of found) all.add(one);
      const { numUpdatedRows } = await db
        .updateTable('access_tokens')
        .set({ revoked_at: revokedAt })
        .where('id', 'in', lineageBelow(id))
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      isComplete = numUpdatedRows === 0n;
    }
  }
  return [...all];
}

/** Ids of a token and of everything that was created with it, locked in their order like every other change of several tokens. */
export async function lockLineage(db: Kysely<Tables>, engine: Engine, id: string): Promise<string[]> {
  const query = db.selectFrom('access_tokens').select('id').where('id', 'in', lineageBelow(id)).orderBy('id');
  const rows = await (engine === 'postgres' ? query.forNoKeyUpdate() : query).execute();
  return rows.map((row) => row.id);
}

/** A token and everything that was created with it. */
function lineageBelow(id: string) {
  return sql<string>`(
    with recursive lineage (id) as (
      select id from access_tokens where id = ${id}
      union
      select child.id from access_tokens as child join lineage on child.parent_id = lineage.id
    )
    select id from lineage
  )`;
}

/**
 * Reads the tokens that the installation's settings define and locks them until the transaction ends, in the order of their ids: see
 * `docs/decisions/0014-one-order-of-locks.md`.
 */
export async function lockInitialTokens(
  db: Kysely<Tables>,
  engine: Engine,
  userID: string,
): Promise<AccessTokenRow[]> {
  const query = db
    .selectFrom('access_tokens')
    .selectAll()
    .where('user_id', '=', userID)
    .where('is_initial', '=', 1)
    .orderBy('id');
  // SQLite has one transaction at a time.
  return (engine === 'postgres' ? query.forNoKeyUpdate() : query).execute();
}

/** Makes a revoked token valid again when the settings define it anew. */
export async function restoreInitialToken(db: Kysely<Tables>, id: string): Promise<void> {
  await db.updateTable('access_tokens').set({ revoked_at: null }).where('id', '=', id).execute();
}

/** A token of a user, locked until the transaction ends. */
export async function lockAccessToken(
  db: Kysely<Tables>,
  engine: Engine,
  userID: string,
  id: string,
): Promise<AccessTokenRow | undefined> {
  const query = db.selectFrom('access_tokens').selectAll().where('id', '=', id).where('user_id', '=', userID);
  // SQLite has one transaction at a time.
  return (engine === 'postgres' ? query.forNoKeyUpdate() : query).executeTakeFirst();
}

/** The number of a value of a token, also of one from before a rotation; undefined if it is none of its values. */
export async function findValueNumber(
  db: Kysely<Tables>,
  id: string,
  digest: TokenDigest,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('access_tokens')
    .select('secret_number as number')
    .where('id', '=', id)
    .where('digest', '=', digest)
    .unionAll(
      db
        .selectFrom('earlier_secrets')
        .select('number')
        .where('token_id', '=', id)
        .where('digest', '=', digest),
    )
    .executeTakeFirst();
  return row?.number;
}

/** True if the value of a token with this number is the current one, or an earlier one that is still accepted. */
export async function isValueValid(
  db: Kysely<Tables>,
  token: AccessTokenRow,
  number: number,
  now: number,
): Promise<boolean> {
  if (token.secret_number === number) return true;
  const row = await db
    .selectFrom('earlier_secrets')
    .select('ends_at')
    .where('token_id', '=', token.id)
    .where('number', '=', number)
    .executeTakeFirst();
  return row !== undefined && (row.ends_at === null || row.ends_at > now);
}

export async function updateValue(
  db: Kysely<Tables>,
  id: string,
  change: Pick<AccessTokenRow, 'digest' | 'last_four' | 'secret_number' | 'rotated_at'>,
): Promise<void> {
  await db.updateTable('access_tokens').set(change).where('id', '=', id).execute();
}
