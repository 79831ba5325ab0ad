import { setTimeout as pause } from 'node:timers/promises';
import { type MigrationProvider, type MigrationResultSet, Migrator } from 'kysely';
import type { Database } from './database.ts';
import { createInitialTables } from './migrations/0001-initial.ts';
import { narrowOpenErrorsByProject } from './migrations/0002-open-errors-by-project.ts';
import { addIdentities } from './migrations/0003-identities.ts';
import { compactErrors, copyErrorsAhead } from './migrations/0004-compact-errors.ts';
import { createAgentSigns } from './migrations/0005-agent-signs.ts';
import { addErrorGroups } from './migrations/0006-error-groups.ts';
import { errorIndexes, keyErrorsByProject } from './migrations/0007-errors-by-project.ts';
import { addDismissals } from './migrations/0008-dismissals.ts';
import { addEvents } from './migrations/0009-events.ts';
import { addPeople } from './migrations/0010-people.ts';
import { addTokenLife } from './migrations/0011-token-life.ts';
import { queueBatchesOfErrors } from './migrations/0012-batches-of-errors.ts';
import { addAgentStates } from './migrations/0013-agent-states.ts';
import { addRotatedBy } from './migrations/0014-rotated-by.ts';
import { addAudit } from './migrations/0015-audit.ts';
import { addAuditPending } from './migrations/0016-audit-pending.ts';
import { addSessions } from './migrations/0017-sessions.ts';
import { addAlerts } from './migrations/0018-alerts.ts';
import { addTokenLeaks } from './migrations/0019-token-leaks.ts';
import { addProvisioned } from './migrations/0020-provisioned.ts';
import { addConfigsByProject } from './migrations/0021-configs-by-project.ts';
import { keepPlansOfTriggersLinear } from './migrations/0022-plans-of-triggers.ts';
import { addCoreInstances } from './migrations/0023-core-instances.ts';
import type { Engine } from './migrations/column-types.ts';
import { buildIndexes } from './postgres/build-indexes.ts';
import { removeSupersededIndexes } from './postgres/remove-superseded-indexes.ts';
import { type Room, requireRoomForRewrite } from './sqlite/require-room.ts';

/** The progress of a long migration. */
export interface MigrationProgress {
  readonly migration: string;
  readonly done: number;
  readonly total: number;
  readonly unit: 'rows' | 'index entries';
}

export interface MigrateOptions {
  readonly onProgress?: (progress: MigrationProgress) => void;
  /** Called with a sentence for an operator, before something begins that needs disk or time. */
  readonly onNotice?: (notice: string) => void;
  /** Pause after an attempt that did not get its locks. Absent: 5 s. */
  readonly lockPauseMilliseconds?: number;
}

const compactErrorsName = '0004-compact-errors';
const errorsByProjectName = '0007-errors-by-project';

function migrationsOf(engine: Engine): MigrationProvider {
  return {
    getMigrations: async () => ({
      '0001-initial': { up: (db) => createInitialTables(db, engine) },
      '0002-open-errors-by-project': { up: (db) => narrowOpenErrorsByProject(db, engine) },
      '0003-identities': { up: (db) => addIdentities(db, engine) },
      [compactErrorsName]: { up: (db) => compactErrors(db, engine) },
      '0005-agent-signs': { up: (db) => createAgentSigns(db, engine) },
      '0006-error-groups': { up: (db) => addErrorGroups(db, engine) },
      [errorsByProjectName]: { up: (db) => keyErrorsByProject(db, engine) },
      '0008-dismissals': { up: (db) => addDismissals(db, engine) },
      '0009-events': { up: (db) => addEvents(db, engine) },
      '0010-people': { up: (db) => addPeople(db, engine) },
      '0011-token-life': { up: (db) => addTokenLife(db, engine) },
      '0012-batches-of-errors': { up: (db) => queueBatchesOfErrors(db, engine) },
      '0013-agent-states': { up: (db) => addAgentStates(db, engine) },
      '0014-rotated-by': { up: (db) => addRotatedBy(db, engine) },
      '0015-audit': { up: (db) => addAudit(db, engine) },
      '0016-audit-pending': { up: (db) => addAuditPending(db, engine) },
      '0017-sessions': { up: (db) => addSessions(db, engine) },
      '0018-alerts': { up: (db) => addAlerts(db, engine) },
      '0019-token-leaks': { up: (db) => addTokenLeaks(db, engine) },
      '0020-provisioned': { up: (db) => addProvisioned(db, engine) },
      '0021-configs-by-project': { up: (db) => addConfigsByProject(db, engine) },
      '0022-plans-of-triggers': { up: (db) => keepPlansOfTriggersLinear(db, engine) },
      '0023-core-instances': { up: (db) => addCoreInstances(db, engine) },
    }),
  };
}

function migratorOf(database: Database): Migrator {
  return new Migrator({ db: database.write, provider: migrationsOf(database.engine) });
}

/** The names of all migrations of this version, in order. */
export async function knownMigrations(engine: Engine): Promise<string[]> {
  return Object.keys(await migrationsOf(engine).getMigrations()).sort();
}

/** Makes the tables of an empty database as they were after a migration. */
export async function migrateTo(database: Database, name: string): Promise<void> {
  const { error } = await migratorOf(database).migrateTo(name);
  if (error !== undefined) {
    throw new Error('The tables could not be created; the database is unchanged.', { cause: error });
  }
  const isNewest = (await pendingMigrations(database)).length === 0;
  if (isNewest) await removeSuperseded(database);
}

/** The names of the pending migrations, in order. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  const migrations = await migratorOf(database).getMigrations();
  return migrations.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
}

/**
 * Runs all pending migrations or none. Returns the names of those that ran.
 *
 * @throws Error if a migration fails, or if the disk has not enough room for it.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<string[]> {
  const { error, results } = await withoutTimeLimit(database, async () => {
    await workAhead(database, options);
    return migrateWhenFree(database, options);
  });
  if (error !== undefined) {
    throw new Error('The database could not be migrated; it is unchanged.', {
      cause: error,
    });
  }
  await removeSuperseded(database);
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
  { onNotice, lockPauseMilliseconds = usualLockPauseMilliseconds }: MigrateOptions,
): Promise<MigrationResultSet> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await migratorOf(database).migrateToLatest();
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

/** Removes what a migration has replaced and only an older version still uses, once none is connected. */
export async function removeSuperseded(database: Database): Promise<void> {
  if (database.engine === 'postgres') await removeSupersededIndexes(database);
}

/** Does the work that takes too long for one transaction, if the database is not empty. */
async function workAhead(database: Database, { onProgress, onNotice }: MigrateOptions): Promise<void> {
  const pending = await pendingMigrations(database);
  if (pending.includes('0001-initial')) return;
  if (database.engine === 'sqlite') {
    if (!pending.includes(compactErrorsName)) return;
    onNotice?.(describeRoom(await requireRoomForRewrite(database)));
    await copyErrorsAhead(database.write, (copied) =>
      onProgress?.({ migration: compactErrorsName, unit: 'rows', ...copied }),
    );
  } else if (pending.includes(errorsByProjectName)) {
    await buildIndexes(database.postgres, 'agent_errors', errorIndexes, {
      onProgress: (built) =>
        onProgress?.({ migration: errorsByProjectName, unit: 'index entries', ...built }),
      onNeededBytes: (bytes) => onNotice?.(describeNeededDisk(bytes)),
    });
  }
}

function describeRoom({ directory, neededBytes, freeBytes }: Room): string {
  return `This version rewrites the stored errors once, which needs up to ${gigabytes(neededBytes)} of free disk in ${directory}; ${gigabytes(freeBytes)} are free.`;
}

function describeNeededDisk(bytes: number): string {
  return `This version makes new indexes for the stored errors, while errors are stored as before. The disk of PostgreSQL needs about ${gigabytes(bytes)} of free space for that, which Muster cannot see. If it becomes full, make room and start Muster again: nothing is lost, and the old version works as before.`;
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

/** The migration of a large table may take any time. */
function withoutTimeLimit<T>(database: Database, work: () => Promise<T>): Promise<T> {
  return database.engine === 'sqlite' ? database.sqlite.writer.withoutTimeLimit(work) : work();
}
