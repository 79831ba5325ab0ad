import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import { isAnyID } from '../../foundation/database/is-any-id.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import { movingAt, type ProjectMove } from '../../foundation/database/moving-projects.ts';
import { newestFirst } from '../../foundation/database/newest-first.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { matchesName } from '../../foundation/database/text-matching.ts';
import type { Page } from '../../foundation/list-page.ts';

export type ProjectRow = Selectable<Tables['projects']>;

export interface ProjectFilter {
  /** Only these projects; undefined: all. */
  readonly ids: readonly string[] | undefined;
  readonly name: string | undefined;
}

export async function insertProject(db: Kysely<Tables>, row: Insertable<Tables['projects']>): Promise<void> {
  await db.insertInto('projects').values(row).execute();
}

export async function findProject(db: Kysely<Tables>, id: string): Promise<ProjectRow | undefined> {
  return db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

export async function listProjects(
  db: Kysely<Tables>,
  engine: Engine,
  filter: ProjectFilter,
  page: Page,
): Promise<ProjectRow[]> {
  let query = db.selectFrom('projects').selectAll().where('deleted_at', 'is', null);
  if (filter.ids !== undefined) query = query.where(isAnyID(engine, sql.ref('id'), filter.ids));
  if (filter.name !== undefined) query = query.where(matchesName(engine, sql.ref('name'), filter.name));
  return newestFirst(query, 'id', page).execute();
}

/** The first two projects that exist with exactly this name. @param ids only these; undefined: all. */
export async function listProjectsNamed(
  db: Kysely<Tables>,
  engine: Engine,
  name: string,
  ids: readonly string[] | undefined,
): Promise<ProjectRow[]> {
  let query = db.selectFrom('projects').selectAll().where('name', '=', name).where('deleted_at', 'is', null);
  if (ids !== undefined) query = query.where(isAnyID(engine, sql.ref('id'), ids));
  return query.orderBy('id').execute();
}

/** Finds a project, and locks its row until the transaction ends. */
export async function lockProject(
  trx: Kysely<Tables>,
  engine: Engine,
  id: string,
): Promise<ProjectRow | undefined> {
  const query = trx.selectFrom('projects').selectAll().where('id', '=', id).where('deleted_at', 'is', null);
  return (engine === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
}

/** Whether rows are here of a project that has moved to another installation, or did not arrive. */
export async function isLeft(db: Kysely<Tables>, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('project_moves')
    .select('project_id')
    .where('project_id', '=', id)
    .where('state', 'in', ['moved', 'arriving'])
    .executeTakeFirst();
  return row !== undefined;
}

/** A project whose rows are here, and which is deleted or moves. */
export async function findAbsent(
  db: Kysely<Tables>,
  id: string,
): Promise<Pick<ProjectMove, 'state' | 'other_url'> | 'deleted' | undefined> {
  const row = await db
    .selectFrom('projects')
    .leftJoin('project_moves', 'project_moves.project_id', 'projects.id')
    .select(['projects.deleted_at', 'state', 'other_url'])
    .where('projects.id', '=', id)
    .where('projects.deleted_at', 'is not', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { deleted_at: deletedAt, state, other_url: url } = row;
  return deletedAt === movingAt && state !== null && url !== null ? { state, other_url: url } : 'deleted';
}

/** Finds a project of which rows are left, and locks its row until the transaction ends. */
export async function lockLeft(
  trx: Kysely<Tables>,
  engine: Engine,
  id: string,
): Promise<ProjectRow | undefined> {
  const query = trx
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', '=', movingAt);
  return (engine === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
}

export async function renameProject(db: Kysely<Tables>, id: string, name: string, at: number): Promise<void> {
  await db.updateTable('projects').set({ name, updated_at: at }).where('id', '=', id).execute();
}

export async function markProjectDeleted(db: Kysely<Tables>, id: string, at: number): Promise<void> {
  await db.updateTable('projects').set({ deleted_at: at }).where('id', '=', id).execute();
}
