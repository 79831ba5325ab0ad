import type { TokenStatus } from '@muster/contract';
import type { ExpressionBuilder, Insertable, Kysely, Selectable, Updateable } from 'kysely';
import { sql } from 'kysely';
import { isAnyID } from '../../foundation/database/is-any-id.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import { newestFirst } from '../../foundation/database/newest-first.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { matchesName } from '../../foundation/database/text-matching.ts';
import type { Page } from '../../foundation/list-page.ts';
import { expiringBefore } from './token.ts';

export type TokenRow = Selectable<Tables['project_tokens']>;
export type TokenRowWithCount = TokenRow & { readonly agents_count: number };

/** The columns that define what a token was granted, and by whom. */
export type GrantColumns = Pick<TokenRow, 'permissions' | 'own_permissions'>;
/** Limits of a token. */
export type LimitColumns = Pick<TokenRow, 'id' | 'allowed_networks' | 'reports_per_second'>;
export type TokenChange = GrantColumns & Pick<TokenRow, 'parent_id' | 'expires_at'>;

export interface TokenFilter {
  readonly projectID: string;
  readonly name: string | undefined;
  /** Undefined: active and expiring ones. */
  readonly status: TokenStatus | 'all' | undefined;
  readonly now: number;
}

export async function insertToken(
  db: Kysely<Tables>,
  row: Insertable<Tables['project_tokens']>,
): Promise<void> {
  await db.insertInto('project_tokens').values(row).execute();
}

export async function listTokens(
  db: Kysely<Tables>,
  engine: Engine,
  filter: TokenFilter,
  page: Page,
): Promise<TokenRowWithCount[]> {
  return newestFirst(selectMatching(db, engine, filter), 'project_tokens.id', page).execute();
}

/** The last token of the page before. */
export interface ExpiryPosition {
  readonly value: number;
  readonly id: string;
}

/** Those that expire, the soonest first, plus one if another page follows. */
export async function listTokensByExpiry(
  db: Kysely<Tables>,
  engine: Engine,
  filter: TokenFilter,
  { limit, before }: { readonly limit: number; readonly before: ExpiryPosition | undefined },
): Promise<TokenRowWithCount[]> {
  let query = selectMatching(db, engine, filter).where('expires_at', 'is not', null);
  if (before !== undefined) {
    const { value, id } = before;
    query = query.where(({ eb, or, and }) =>
      or([
        eb('expires_at', '>', value),
        and([eb('expires_at', '=', value), eb('project_tokens.id', '>', id)]),
      ]),
    );
  }
  return query
    .orderBy('expires_at')
    .orderBy('project_tokens.id')
    .limit(limit + 1)
    .execute();
}

function selectMatching(db: Kysely<Tables>, engine: Engine, { projectID, name, status, now }: TokenFilter) {
  let query = selectTokens(db).where('project_tokens.project_id', '=', projectID);
  if (name !== undefined) query = query.where(matchesName(engine, sql.ref('project_tokens.name'), name));
  if (status !== 'all') query = query.where((eb) => hasStatus(eb, status, now));
  return query;
}

/** A token of a project that still exists. */
export async function findToken(db: Kysely<Tables>, id: string): Promise<TokenRowWithCount | undefined> {
  return selectTokens(db)
    .innerJoin('projects', 'projects.id', 'project_tokens.project_id')
    .where('projects.deleted_at', 'is', null)
    .where('project_tokens.id', '=', id)
    .executeTakeFirst();
}

/** Digests of the current values of a project's tokens, by their ids. */
export async function listCurrentDigests(
  db: Kysely<Tables>,
  engine: Engine,
  projectID: string,
  ids: readonly string[],
): Promise<Pick<TokenRow, 'id' | 'digest'>[]> {
  return db
    .selectFrom('project_tokens')
    .select(['id', 'digest'])
    .where('project_id', '=', projectID)
    .where(isAnyID(engine, sql.ref('id'), ids))
    .execute();
}

/** The grants of a token and its ancestors: itself first, then each one's parent. */
export async function findLineage(db: Kysely<Tables>, id: string): Promise<GrantColumns[]> {
  const { rows } = await sql<GrantColumns>`
    with recursive lineage (parent_id, permissions, own_permissions, generation) as (
      select parent_id, permissions, own_permissions, 0 from project_tokens where id = ${id}
      union all
      select parent.parent_id, parent.permissions, parent.own_permissions, lineage.generation + 1
      from lineage join project_tokens as parent on parent.id = lineage.parent_id
    )
    select permissions, own_permissions from lineage order by generation`.execute(db);
  return rows;
}

/** The number of generations of a token and its descendants: 1 if it has none. */
export async function countGenerations(db: Kysely<Tables>, id: string): Promise<number> {
  const { rows } = await sql<{ readonly count: number }>`
    with recursive descendants (id, generation) as (
      select id, 1 from project_tokens where id = ${id}
      union all
      select child.id, descendants.generation + 1
      from project_tokens as child join descendants on child.parent_id = descendants.id
    )
    select max(generation) as count from descendants`.execute(db);
  return rows[0]?.count ?? 1;
}

export async function updateToken(
  db: Kysely<Tables>,
  id: string,
  change: Updateable<Tables['project_tokens']>,
): Promise<void> {
  await db.updateTable('project_tokens').set(change).where('id', '=', id).execute();
}

/**
 * Locks a token and its descendants until the transaction ends, in the order of their ids like every other transaction that changes several of them,
 * so that no deadlock is possible. Call it before any of them is changed. Returns the ids of the descendants.
 */
export async function lockWithDescendants(db: Kysely<Tables>, engine: Engine, id: string): Promise<string[]> {
  const query = db
    .selectFrom('project_tokens')
    .select('id')
    .where((eb) => eb.or([eb('id', '=', id), eb('id', 'in', descendantsOf(id))]))
    .orderBy('id');
  // SQLite has one transaction at a time.
  const rows = await (engine === 'postgres' ? query.forNoKeyUpdate() : query).execute();
  return rows.map((row) => row.id).filter((one) => one !== id);
}

/**
 * As above, for several tokens and their descendants at once.
 */
export async function lockAllWithDescendants(
  db: Kysely<Tables>,
  engine: Engine,
  ids: readonly string[],
): Promise<void> {
  if (engine === 'sqlite' || ids.length === 0) return;
  await sql`
    with recursive descendants (id) as (
      select id from project_tokens where ${isAnyID(engine, sql.ref('id'), ids)}
      union
      select child.id from project_tokens as child join descendants on child.parent_id = descendants.id
    )
    select id from project_tokens where id in (select id from descendants) order by id for no key update`.execute(
    db,
  );
}

/** The ids of the valid tokens of a project with a name. */
export async function listValidNamed(
  db: Kysely<Tables>,
  { projectID, name, now }: { readonly projectID: string; readonly name: string; readonly now: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('project_tokens')
    .select('id')
    .where('project_id', '=', projectID)
    .where('name', '=', name)
    .where((eb) => hasStatus(eb, undefined, now))
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Makes the descendants of a token expire no later than the token itself. */
export async function endDescendantsBy(db: Kysely<Tables>, id: string, expiresAt: number): Promise<void> {
  await db
    .updateTable('project_tokens')
    .set({ expires_at: expiresAt })
    .where('id', 'in', descendantsOf(id))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', expiresAt)]))
    .execute();
}

/**
 * The valid tokens of which a user may know an accepted value, because they have created or rotated them, in the order of their ids. If it is only a
 * value from before a rotation, the token is not current.
 */
export async function listValidKnownTo(
  db: Kysely<Tables>,
  { projectID, userID, now }: { readonly projectID: string; readonly userID: string; readonly now: number },
): Promise<{ readonly id: string; readonly isCurrent: boolean }[]> {
  const rows = await db
    .selectFrom('project_tokens')
    .select(['id', 'created_by_kind', 'created_by_id', 'rotated_by_id'])
    .where('project_id', '=', projectID)
    .where((eb) =>
      eb.or([
        eb.and([eb('created_by_kind', '=', 'user'), eb('created_by_id', '=', userID)]),
        eb('rotated_by_id', '=', userID),
        eb.exists(
          eb
            .selectFrom('earlier_secrets')
            .select('digest')
            .whereRef('earlier_secrets.token_id', '=', 'project_tokens.id')
            .where('earlier_secrets.rotated_by_id', '=', userID)
            .where((earlier) => earlier.or([earlier('ends_at', 'is', null), earlier('ends_at', '>', now)])),
        ),
      ]),
    )
    .where((eb) => hasStatus(eb, undefined, now))
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    isCurrent:
      (row.created_by_kind === 'user' && row.created_by_id === userID) || row.rotated_by_id === userID,
  }));
}

/** True if a token was created or widened with another one, directly or through others. */
export async function descendsFrom(db: Kysely<Tables>, id: string, ancestorID: string): Promise<boolean> {
  const row = await db
    .selectFrom('project_tokens')
    .select('id')
    .where('id', '=', id)
    .where('id', 'in', descendantsOf(ancestorID))
    .executeTakeFirst();
  return row !== undefined;
}

/** A subquery of the ids of the tokens that depend on a token. */
export function descendantsOf(id: string) {
  return sql<string>`(
    with recursive descendants (id) as (
      select id from project_tokens where parent_id = ${id}
      union
      select child.id from project_tokens as child join descendants on child.parent_id = descendants.id
    )
    select id from descendants
  )`;
}

function selectTokens(db: Kysely<Tables>) {
  return db
    .selectFrom('project_tokens')
    .selectAll('project_tokens')
    .select(
      // Two counts, so that each uses its own index.
      sql<number>`(
        select count(*) from agents
        where agents.registered_with = project_tokens.id and agents.deleted_at is null
      ) + (
        select count(*) from agents
        where agents.reported_with = project_tokens.id and agents.deleted_at is null
          and agents.registered_with is distinct from agents.reported_with
      )`.as('agents_count'),
    );
}

function hasStatus(
  eb: ExpressionBuilder<Tables, 'project_tokens'>,
  status: TokenStatus | undefined,
  now: number,
) {
  const { and, or, not } = eb;
  const valid = and([
    eb('revoked_at', 'is', null),
    or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]),
  ]);
  const soon = expiringBefore(now);
  const endsSoon = or([
    // Null must not make the negation null.
    and([eb('expires_at', 'is not', null), eb('expires_at', '<=', soon)]),
    eb.exists(
      eb
        .selectFrom('earlier_secrets')
        .select('digest')
        .whereRef('earlier_secrets.token_id', '=', 'project_tokens.id')
        .where('ends_at', '>', now)
        .where('ends_at', '<=', soon),
    ),
  ]);
  switch (status) {
    case undefined:
      return valid;
    case 'active':
      return and([valid, not(endsSoon)]);
    case 'expiring':
      return and([valid, endsSoon]);
    case 'expired':
      return and([eb('revoked_at', 'is', null), eb('expires_at', '<=', now)]);
    case 'revoked':
      return eb('revoked_at', 'is not', null);
  }
}
