import { type MigrationProvider, Migrator } from 'kysely';
import type { Database } from './database.ts';
import { createInitialTables } from './migrations/0001-initial.ts';
import { narrowOpenErrorsByProject } from './migrations/0002-open-errors-by-project.ts';
import { addIdentities } from './migrations/0003-identities.ts';
import { compactErrors, copyErrorsAhead } from './migrations/0004-compact-errors.ts';
import { createAgentSigns } from './migrations/0005-agent-signs.ts';
import { addErrorGroups } from './migrations/0006-error-groups.ts';
import type { Engine } from './migrations/column-types.ts';
import { requireRoomForRewrite } from './sqlite/require-room.ts';

/** The progress of a long migration. */
export interface MigrationProgress {
  readonly migration: string;
  readonly done: number;
  readonly total: number;
}

export interface MigrateOptions {
  readonly onProgress?: (progress: MigrationProgress) => void;
}

const compactErrorsName = '0004-compact-errors';

function migrationsOf(engine: Engine): MigrationProvider {
  return {
    getMigrations: async () => ({
      '0001-initial': { up: (db) => createInitialTables(db, engine) },
      '0002-open-errors-by-project': { up: (db) => narrowOpenErrorsByProject(db, engine) },
      '0003-identities': { up: (db) => addIdentities(db, engine) },
      [compactErrorsName]: { up: (db) => compactErrors(db, engine) },
      '0005-agent-signs': { up: (db) => createAgentSigns(db, engine) },
      '0006-error-groups': { up: (db) => addErrorGroups(db, engine) },
    }),
  };
}

function migratorOf(database: Database): Migrator {
  return new Migrator({ db: database.write, provider: migrationsOf(database.engine) });
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
    await copyAhead(database, options);
    return migratorOf(database).migrateToLatest();
  });
  if (error !== undefined) {
    throw new Error('The database could not be migrated; it is unchanged.', {
      cause: error,
    });
  }
  return (results ?? [])
    .filter(({ status }) => status === 'Success')
    .map(({ migrationName }) => migrationName);
}

/** Does the work that takes too long for one transaction, if the database is not empty. */
async function copyAhead(database: Database, { onProgress }: MigrateOptions): Promise<void> {
  if (database.engine === 'postgres') return;
  const pending = await pendingMigrations(database);
  if (!pending.includes(compactErrorsName) || pending.includes('0001-initial')) return;
  await requireRoomForRewrite(database);
  await copyErrorsAhead(database.write, (copied) =>
    onProgress?.({ migration: compactErrorsName, ...copied }),
  );
}

/** The migration of a large table may take any time. */
function withoutTimeLimit<T>(database: Database, work: () => Promise<T>): Promise<T> {
  return database.engine === 'sqlite' ? database.sqlite.writer.withoutTimeLimit(work) : work();
}
