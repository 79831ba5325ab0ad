import { type Insertable, type Kysely, sql } from 'kysely';
import { backupSessionName } from '../../foundation/database/backup/backup-manifest.ts';
import type { Database, PostgresDatabase } from '../../foundation/database/database.ts';
import { movingAt, type ProjectMove } from '../../foundation/database/moving-projects.ts';
import type { Tables } from '../../foundation/database/tables.ts';

/** A project that is here, or moves; undefined if there is none, or it is deleted. */
export interface MovingProject {
  readonly id: string;
  readonly name: string;
  /** 0: it moves. */
  readonly deleted_at: number | null;
}

export async function lockProject(
  trx: Kysely<Tables>,
  engine: Database['engine'],
  id: string,
): Promise<MovingProject | undefined> {
  const query = trx.selectFrom('projects').select(['id', 'name', 'deleted_at']).where('id', '=', id);
  return (engine === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
}

/** Undefined if there is none, or it is deleted. */
export async function findProject(db: Kysely<Tables>, id: string): Promise<MovingProject | undefined> {
  return db
    .selectFrom('projects')
    .select(['id', 'name', 'deleted_at'])
    .where('id', '=', id)
    .where((eb) => eb.or([eb('deleted_at', 'is', null), eb('deleted_at', '=', movingAt)]))
    .executeTakeFirst();
}

/** Locked until the transaction ends. */
export async function lockMove(
  trx: Kysely<Tables>,
  engine: Database['engine'],
  projectID: string,
): Promise<ProjectMove | undefined> {
  const query = trx.selectFrom('project_moves').selectAll().where('project_id', '=', projectID);
  return (engine === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
}

/** Instead of an earlier move of the project. */
export async function putMove(trx: Kysely<Tables>, row: Insertable<Tables['project_moves']>): Promise<void> {
  await removeMove(trx, row.project_id);
  await trx.insertInto('project_moves').values(row).execute();
}

export async function removeMove(trx: Kysely<Tables>, projectID: string): Promise<void> {
  await trx.deleteFrom('project_moves').where('project_id', '=', projectID).execute();
}

export async function changeMove(
  trx: Kysely<Tables>,
  projectID: string,
  change: Partial<
    Pick<
      ProjectMove,
      'state' | 'run_id' | 'other_url' | 'frozen_until' | 'public_key' | 'sealed_key' | 'key_id'
    >
  >,
): Promise<void> {
  await trx.updateTable('project_moves').set(change).where('project_id', '=', projectID).execute();
}

/** Projects that should have thawed by now. */
export async function listThawing(db: Kysely<Tables>, now: number): Promise<ProjectMove[]> {
  return db
    .selectFrom('project_moves')
    .selectAll()
    .where('state', '=', 'frozen')
    .where('frozen_until', '<=', now)
    .execute();
}

export async function insertProject(
  trx: Kysely<Tables>,
  id: string,
  name: string,
  at: number,
): Promise<void> {
  await trx
    .insertInto('projects')
    .values({ id, name, freeze_windows: '[]', created_at: at, updated_at: at, deleted_at: movingAt })
    .execute();
}

/** @param deletedAt null: it is here. */
export async function setDeletedAt(
  trx: Kysely<Tables>,
  id: string,
  deletedAt: typeof movingAt | null,
): Promise<void> {
  await trx.updateTable('projects').set({ deleted_at: deletedAt }).where('id', '=', id).execute();
}

/** The status of each agent is determined anew. Without a known one, the first is no event. */
export async function countAgentsAnew(trx: Kysely<Tables>, projectID: string): Promise<void> {
  const agents = sql`from agents where project_id = ${projectID} and deleted_at is null`;
  await sql`insert into agent_states (project_id, agent_id, status, type, version)
    select project_id, id, null, '', '' ${agents} on conflict do nothing`.execute(trx);
  await sql`insert into agent_changes (project_id, agent_id) select project_id, id ${agents}`.execute(trx);
}

/** What came over did not happen now: nobody is told of it. The range of events is locked before they are, as retention does. */
export async function dropEvents(trx: Kysely<Tables>, projectID: string): Promise<void> {
  await sql`update event_sequences set removed_through = last_sequence where project_id = ${projectID}`.execute(
    trx,
  );
  for (const table of ['event_changes', 'events', 'event_folds', 'alert_cursors'])
    await sql`delete from ${sql.table(table)} where project_id = ${projectID}`.execute(trx);
}

/** Listeners that come from the source learn by that what they have missed: they go on behind its last event, or are told that some are removed. */
export async function numberEventsAfter(
  trx: Kysely<Tables>,
  projectID: string,
  lastEvent: number,
): Promise<void> {
  await sql`
    insert into event_sequences (project_id, last_sequence, removed_through)
    values (${projectID}, ${lastEvent}, ${lastEvent})
    on conflict (project_id) do update
    set last_sequence = excluded.last_sequence, removed_through = excluded.removed_through
    where event_sequences.last_sequence < excluded.last_sequence`.execute(trx);
}

/** 0: it has none. */
export async function readLastEvent(db: Kysely<Tables>, projectID: string): Promise<number> {
  const { rows } = await sql<{ last_sequence: number }>`
    select last_sequence from event_sequences where project_id = ${projectID}`.execute(db);
  return rows[0]?.last_sequence ?? 0;
}

export async function hasPendingEntries(db: Kysely<Tables>, projectID: string): Promise<boolean> {
  const row = await db
    .selectFrom('audit_pending')
    .select('id')
    .where('project_id', '=', projectID)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The names of the migrations that have run. */
export async function listMigrations(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/** Some time ago, by the clock of the database. */
export async function readDatabaseTime({ postgres }: PostgresDatabase, millisecondsAgo = 0): Promise<string> {
  const [row] = await postgres.query<{ time: string }>(
    "select (clock_timestamp() - $1::float8 * interval '1 millisecond')::text as time",
    [millisecondsAgo],
  );
  return row?.time ?? '';
}

export interface OpenTransaction {
  readonly pid: number;
  /** What its client calls itself. Empty: it does not say, or nobody may know. */
  readonly application: string;
}

/** A transaction of this database that began before a time and is still open. Backups write nothing, and take long. */
export async function findOlderTransaction(
  { postgres }: PostgresDatabase,
  time: string,
): Promise<OpenTransaction | undefined> {
  const [row] = await postgres.query<OpenTransaction & { readonly [column: string]: unknown }>(
    `select pid, coalesce(application_name, '') as application from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
       and application_name is distinct from $2 and xact_start < $1::timestamptz limit 1`,
    [time, backupSessionName],
  );
  return row;
}
