import type { Actor } from '@muster/contract';
import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { isAnyID } from '../../foundation/database/is-any-id.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import { newestFirst } from '../../foundation/database/newest-first.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import type { Page } from '../../foundation/list-page.ts';

export type DismissalRow = Selectable<Tables['dismissals']>;

export interface NewDismissal {
  readonly id: string;
  readonly projectID: string;
  readonly reason: string;
  readonly filter: string;
  readonly boundID: string;
  readonly requestedAt: number;
  readonly requestedBy: Actor;
}

/** The process that works on a dismissal, and until when no other process may. */
export interface Lease {
  readonly holder: string;
  readonly now: number;
  readonly until: number;
}

/** Every column but `key`, which SQLite alone has. */
const columns = [
  'id',
  'project_id',
  'reason',
  'filter',
  'bound_id',
  'state',
  'requested_at',
  'requested_by_kind',
  'requested_by_id',
  'cursor_id',
  'errors_count',
  'agents_count',
  'ended_at',
  'undo_requested_at',
  'undo_requested_by_kind',
  'undo_requested_by_id',
  'undo_ended_at',
  'reopened_count',
  'equal_open_count',
  'lease_holder',
  'lease_until',
] as const;

export async function insertDismissal(
  db: Kysely<Tables>,
  { id, projectID, reason, filter, boundID, requestedAt, requestedBy }: NewDismissal,
  lease: Lease,
): Promise<void> {
  await db
    .insertInto('dismissals')
    .values({
      id,
      project_id: projectID,
      reason,
      filter,
      bound_id: boundID,
      state: 'running',
      requested_at: requestedAt,
      requested_by_kind: requestedBy.kind,
      requested_by_id: requestedBy.id,
      lease_holder: lease.holder,
      lease_until: lease.until,
    })
    .execute();
}

export async function findDismissal(db: Kysely<Tables>, id: string): Promise<DismissalRow | undefined> {
  return db.selectFrom('dismissals').select(columns).where('id', '=', id).executeTakeFirst();
}

/** Newest first, with one more than the page if another page follows. */
export async function listDismissals(
  db: Kysely<Tables>,
  projectID: string,
  page: Page,
): Promise<DismissalRow[]> {
  const query = db.selectFrom('dismissals').select(columns).where('project_id', '=', projectID);
  return newestFirst(query, 'id', page).execute();
}

/** Stops the dismissal and begins its undo. Changes nothing, and returns false, if that was done before. */
export async function startUndo(db: Kysely<Tables>, id: string, by: Actor, lease: Lease): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('dismissals')
    .set({
      state: 'undoing',
      ended_at: sql`coalesce(ended_at, ${lease.now})`,
      undo_requested_at: lease.now,
      undo_requested_by_kind: by.kind,
      undo_requested_by_id: by.id,
      lease_holder: lease.holder,
      lease_until: lease.until,
    })
    .where('id', '=', id)
    .where('state', 'in', ['running', 'done'])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Projects with unfinished dismissals that no other process works on. */
export async function listProjectsWithDue(db: Kysely<Tables>, lease: Lease): Promise<string[]> {
  const rows = await selectDue(db, lease).select('dismissals.project_id').distinct().execute();
  return rows.map((row) => row.project_id);
}

/** Ids of unfinished dismissals of a project that no other process works on, oldest first. */
export async function listDue(
  db: Kysely<Tables>,
  projectID: string,
  lease: Lease,
  limit: number,
): Promise<string[]> {
  const rows = await selectDue(db, lease)
    .select('dismissals.id')
    .where('dismissals.project_id', '=', projectID)
    .orderBy('dismissals.id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

function selectDue(db: Kysely<Tables>, lease: Lease) {
  return db
    .selectFrom('dismissals')
    .innerJoin('projects', 'projects.id', 'dismissals.project_id')
    .where('dismissals.state', 'in', ['running', 'undoing'])
    .where('projects.deleted_at', 'is', null)
    .where(mayTake(lease));
}

/** Takes the lease, or renews it. Undefined: the dismissal is finished, or another process works on it. */
export async function takeLease(
  db: Kysely<Tables>,
  id: string,
  lease: Lease,
): Promise<DismissalRow | undefined> {
  return db
    .updateTable('dismissals')
    .set({ lease_holder: lease.holder, lease_until: lease.until })
    .where('id', '=', id)
    .where('state', 'in', ['running', 'undoing'])
    .where(mayTake(lease))
    .returning(columns)
    .executeTakeFirst();
}

/** A lease that ends later than any that can be given now is of a process whose clock was ahead. */
function mayTake({ holder, now, until }: Lease): RawBuilder<SqlBool> {
  return sql<SqlBool>`(lease_holder = ${holder} or lease_until <= ${now} or lease_until > ${until})`;
}

/** Lets another process continue at once. */
export async function giveUpLeases(db: Kysely<Tables>, holder: string): Promise<void> {
  await db
    .updateTable('dismissals')
    .set({ lease_until: 0 })
    .where('lease_holder', '=', holder)
    .where('state', 'in', ['running', 'undoing'])
    .execute();
}

export async function hasUnfinished(db: Kysely<Tables>): Promise<boolean> {
  const row = await db
    .selectFrom('dismissals')
    .select('id')
    .where('state', 'in', ['running', 'undoing'])
    .executeTakeFirst();
  return row !== undefined;
}

/** On SQLite, only one process works on dismissals, so the leases of a killed process are released. */
export async function freeAllLeases(db: Kysely<Tables>): Promise<void> {
  await db
    .updateTable('dismissals')
    .set({ lease_until: 0 })
    .where('state', 'in', ['running', 'undoing'])
    .execute();
}

/** Removes up to `limit` rows that no dismissal needs any more. Returns the number of removed rows. */
export async function deleteCountedAgents(db: Kysely<Tables>, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from dismissal_agents where (dismissal_id, agent_id) in (
      select dismissal_id, agent_id from dismissal_agents
      where not exists (
        select 1 from dismissals join projects on projects.id = dismissals.project_id
        where dismissals.id = dismissal_id and state = 'running' and projects.deleted_at is null)
      limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Removes up to `limit` dismissals that ended before a time, or whose project was deleted. Returns the number of removed ones. */
export async function deleteEnded(db: Kysely<Tables>, before: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from dismissals where id in (
      select dismissals.id from dismissals join projects on projects.id = dismissals.project_id
      where projects.deleted_at > 0
        or (state in ('done', 'undone') and coalesce(undo_ended_at, ended_at) < ${before})
      limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

export type DismissedGroup = Pick<Tables['agent_error_groups'], 'id' | 'pattern' | 'example'>;

/** The groups of the project among these, in no order. */
export async function listGroups(
  db: Kysely<Tables>,
  engine: Engine,
  projectID: string,
  ids: readonly string[],
): Promise<DismissedGroup[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('agent_error_groups')
    .select(['id', 'pattern', 'example'])
    .where('project_id', '=', projectID)
    .where(isAnyID(engine, sql.ref('id'), ids))
    .execute();
}

/** The ids among these that are agents of the project. */
export async function listAgentIDs(
  db: Kysely<Tables>,
  engine: Engine,
  projectID: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('agents')
    .select('id')
    .where('project_id', '=', projectID)
    .where(isAnyID(engine, sql.ref('id'), ids))
    .where('deleted_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}
