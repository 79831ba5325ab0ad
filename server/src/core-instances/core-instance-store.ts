import type { CoreInstanceStatus } from '@muster/contract';
import {
  type Insertable,
  type Kysely,
  type RawBuilder,
  type Selectable,
  sql,
  type UpdateObject,
} from 'kysely';
import type { Engine } from '../foundation/database/migrations/column-types.ts';
import { newestFirst } from '../foundation/database/newest-first.ts';
import type { Tables } from '../foundation/database/tables.ts';
import { arrayHasText, isAnyOf, matchesName } from '../foundation/database/text-matching.ts';
import type { Page } from '../foundation/list-page.ts';
import type { Hearing } from './core-instance.ts';

export type CoreInstanceRow = Selectable<Tables['core_instances']>;

export interface CountedCoreInstance extends CoreInstanceRow {
  /** Agents for which it was the last to speak. */
  readonly agents_count: number;
}

export interface CoreInstanceFilter {
  readonly projectID: string;
  readonly name: string | undefined;
  readonly status: CoreInstanceStatus | undefined;
  readonly tag: string | undefined;
}

export async function insertCoreInstance(
  db: Kysely<Tables>,
  row: Insertable<Tables['core_instances']>,
): Promise<void> {
  await db.insertInto('core_instances').values(row).execute();
}

/** One that exists or was deleted, of a project that exists. */
export async function findCoreInstance(
  db: Kysely<Tables>,
  id: string,
): Promise<CountedCoreInstance | undefined> {
  return selectOfProjects(db).select(agentsCount).where('core_instances.id', '=', id).executeTakeFirst();
}

/** The same, locked until the transaction ends. */
export async function lockCoreInstance(
  trx: Kysely<Tables>,
  engine: Engine,
  id: string,
): Promise<CoreInstanceRow | undefined> {
  const query = trx.selectFrom('core_instances').selectAll().where('id', '=', id);
  // SQLite has one transaction at a time.
  return (engine === 'postgres' ? query.forNoKeyUpdate() : query).executeTakeFirst();
}

/** The one of a project that is not deleted and keeps this key. */
export async function findByKey(
  db: Kysely<Tables>,
  projectID: string,
  keyDigest: string,
): Promise<CoreInstanceRow | undefined> {
  return selectLive(db, projectID).where('key_digest', '=', keyDigest).executeTakeFirst();
}

/** The one of a project that is not deleted and has this name. */
export async function findByName(
  db: Kysely<Tables>,
  projectID: string,
  name: string,
): Promise<CoreInstanceRow | undefined> {
  return selectLive(db, projectID).where('name', '=', name).executeTakeFirst();
}

export async function countCoreInstances(db: Kysely<Tables>, projectID: string): Promise<number> {
  const { count } = await db
    .selectFrom('core_instances')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('project_id', '=', projectID)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Newest first, with one more than the page if another page follows. */
export async function listCoreInstances(
  db: Kysely<Tables>,
  engine: Engine,
  { projectID, name, status, tag }: CoreInstanceFilter,
  page: Page,
  hearing: Hearing,
): Promise<CountedCoreInstance[]> {
  let query = selectLive(db, projectID).select(agentsCount);
  if (name !== undefined) query = query.where(matchesName(engine, sql.ref('name'), name));
  if (tag !== undefined) query = query.where(arrayHasText(engine, sql.ref('tags'), tag));
  if (status === 'waiting') query = query.where('last_contact_at', 'is', null);
  if (status === 'running') query = query.where(isRunning(hearing));
  if (status === 'unreachable') query = query.where(isUnreachable(hearing));
  return newestFirst(query, 'id', page).execute();
}

function isUnreachable({ since, isWhole }: Hearing): RawBuilder<boolean> {
  return sql<boolean>`(last_contact_at < ${since} ${isWhole ? sql`` : sql`and coalesce(missed_contact_at >= last_contact_at, false)`})`;
}

function isRunning(hearing: Hearing): RawBuilder<boolean> {
  return sql<boolean>`(last_contact_at is not null and not ${isUnreachable(hearing)})`;
}

/** How many core instances are in which state, and how far they lag. */
export interface CoreInstanceFigures {
  readonly waiting: number;
  readonly running: number;
  readonly unreachable: number;
  /** When the oldest item that waits at a site came. Null: none waits. */
  readonly oldestSpooledAt: number | null;
  readonly spooledCount: number;
  readonly lostCount: number;
}

/** @param projectID absent: of all projects */
export async function readFigures(
  db: Kysely<Tables>,
  hearing: Hearing,
  projectID?: string,
): Promise<CoreInstanceFigures> {
  const sumOf = (value: RawBuilder<unknown>) => sql<number>`cast(coalesce(sum(${value}), 0) as bigint)`;
  const countOf = (condition: RawBuilder<unknown>) => sumOf(sql`case when ${condition} then 1 else 0 end`);
  let query = selectOfProjects(db)
    .clearSelect()
    .where('core_instances.deleted_at', 'is', null)
    .select([
      countOf(sql`last_contact_at is null`).as('waiting'),
      countOf(isRunning(hearing)).as('running'),
      countOf(isUnreachable(hearing)).as('unreachable'),
      sql<number | null>`min(oldest_spooled_at)`.as('oldestSpooledAt'),
      sumOf(sql.ref('spooled_count')).as('spooledCount'),
      sumOf(sql.ref('lost_count')).as('lostCount'),
    ]);
  if (projectID !== undefined) query = query.where('core_instances.project_id', '=', projectID);
  return query.executeTakeFirstOrThrow();
}

export async function updateCoreInstance(
  db: Kysely<Tables>,
  id: string,
  change: UpdateObject<Tables, 'core_instances'>,
): Promise<void> {
  await db.updateTable('core_instances').set(change).where('id', '=', id).execute();
}

/** Those whose current or earlier token has one of these digests, also deleted ones. */
export async function listByDigest(
  db: Kysely<Tables>,
  engine: Engine,
  digests: readonly string[],
): Promise<CoreInstanceRow[]> {
  return selectOfProjects(db)
    .where((eb) =>
      eb.or([
        isAnyOf(engine, sql.ref('core_instances.digest'), digests),
        isAnyOf(engine, sql.ref('core_instances.earlier_digest'), digests),
      ]),
    )
    .execute();
}

/** Ends the earlier token that waits for the first use of the current one. Returns false if none does. */
export async function retireEarlier(
  db: Kysely<Tables>,
  id: string,
  digest: string,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('core_instances')
    .set({ earlier_ends_at: now, earlier_retires: 0 })
    .where('id', '=', id)
    .where('digest', '=', digest)
    .where('earlier_retires', '=', 1)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const agentsCount = sql<number>`(
  select cast(count(*) as integer) from agent_signs as signs
  join agents on agents.id = signs.agent_id
  where signs.core_instance_id = core_instances.id and agents.deleted_at is null)`.as('agents_count');

function selectLive(db: Kysely<Tables>, projectID: string) {
  return db
    .selectFrom('core_instances')
    .selectAll()
    .where('project_id', '=', projectID)
    .where('deleted_at', 'is', null);
}

function selectOfProjects(db: Kysely<Tables>) {
  return db
    .selectFrom('core_instances')
    .innerJoin('projects', 'projects.id', 'core_instances.project_id')
    .where('projects.deleted_at', 'is', null)
    .selectAll('core_instances');
}

/** Removes up to `limit` core instances of deleted projects. */
export async function deleteOfDeletedProjects(db: Kysely<Tables>, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('core_instances')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('core_instances')
        .innerJoin('projects', 'projects.id', 'core_instances.project_id')
        .where('projects.deleted_at', '>', 0)
        .select('core_instances.id')
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
