import { setTimeout as pause } from 'node:timers/promises';
import { type MigrationResultSet, Migrator, sql } from 'kysely';
import type { Database } from './database.ts';
import { type Migrations, migrationsOf } from './migrations/migrations.ts';
import { isOfPreview, previewAdvice, previewReason } from './migrations/preview.ts';

export interface MigrateOptions {
  /** Called with a sentence for an operator, if the migration has to wait. */
  readonly onNotice?: (notice: string) => void;
  /** Pause after an attempt that did not get its locks. Absent: 5 s. */
  readonly lockPauseMilliseconds?: number;
  /** Absent: those of this version. */
  readonly migrations?: Migrations;
}

function migratorOf(database: Database, migrations: Migrations = migrationsOf(database.engine)): Migrator {
  return new Migrator({ db: database.write, provider: { getMigrations: async () => migrations } });
}

/** Makes the tables of an empty database as they were after a migration. */
export async function migrateTo(database: Database, name: string): Promise<void> {
  const { error } = await migratorOf(database).migrateTo(name);
  if (error !== undefined) {
    throw new Error('The tables could not be created; the database is unchanged.', { cause: error });
  }
}

/**
 * The names of the pending migrations, in order.
 *
 * @throws Error if a version before the first release made the tables.
 */
export async function pendingMigrations(database: Database): Promise<string[]> {
  await refusePreview(database);
  const migrations = await migratorOf(database).getMigrations();
  return migrations.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
}

/**
 * Runs all pending migrations or none. Returns the names of those that ran.
 *
 * @throws Error if a migration fails, or if a version before the first release made the tables.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<string[]> {
  await refusePreview(database);
  const { error, results } = await withoutTimeLimit(database, () => migrateWhenFree(database, options));
  if (error !== undefined) {
    throw new Error('The database could not be migrated; it is unchanged.', {
      cause: error,
    });
  }
  return (results ?? [])
    .filter(({ status }) => status === 'Success')
    .map(({ migrationName }) => migrationName);
}

/** With the wait for the locks, about ten minutes. */
const maxAttempts = 70;
const usualLockPauseMilliseconds = 5_000;

/**
 * On PostgreSQL, a migration that changes a table waits for transactions that use it, and everybody else waits behind it. So it gives up after 4 s,
 * lets the others go on, and tries again.
 */
async function migrateWhenFree(
  database: Database,
  { onNotice, lockPauseMilliseconds = usualLockPauseMilliseconds, migrations }: MigrateOptions,
): Promise<MigrationResultSet> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await migratorOf(database, migrations).migrateToLatest();
    if (!isLockTimeout(result.error) || attempt === maxAttempts) return result;
    if (attempt === 1) onNotice?.(waitingForLocks);
    await pause(lockPauseMilliseconds);
  }
}

const waitingForLocks =
  "This version changes tables that another session of PostgreSQL uses in a transaction that stays open, such as a backup or an open psql. Muster tries again for ten minutes. To find the session: select pid, usename, application_name, xact_start, query from pg_stat_activity where xact_start < now() - interval '1 minute' order by xact_start. Wait until it has ended, or end it with pg_terminate_backend(pid).";

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}

async function refusePreview({ engine, write }: Database): Promise<void> {
  const find =
    engine === 'sqlite'
      ? sql`select 1 from sqlite_schema where name = 'kysely_migration'`
      : sql`select 1 where to_regclass('kysely_migration') is not null`;
  if ((await find.execute(write)).rows.length === 0) return;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(write);
  if (isOfPreview(rows.map(({ name }) => name))) {
    throw new Error(`The database was not changed. ${previewReason} ${previewAdvice}`);
  }
}

/** The migration of a large table may take any time. */
function withoutTimeLimit<T>(database: Database, work: () => Promise<T>): Promise<T> {
  return database.engine === 'sqlite' ? database.sqlite.writer.withoutTimeLimit(work) : work();
}
