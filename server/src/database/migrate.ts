import { type MigrationProvider, Migrator } from 'kysely';
import type { Database } from './database.ts';
import { createInitialTables } from './migrations/0001-initial.ts';
import { narrowOpenErrorsByProject } from './migrations/0002-open-errors-by-project.ts';
import { addIdentities } from './migrations/0003-identities.ts';
import type { Engine } from './migrations/column-types.ts';

function migrationsOf(engine: Engine): MigrationProvider {
  return {
    getMigrations: async () => ({
      '0001-initial': { up: (db) => createInitialTables(db, engine) },
      '0002-open-errors-by-project': { up: (db) => narrowOpenErrorsByProject(db, engine) },
      '0003-identities': { up: (db) => addIdentities(db, engine) },
    }),
  };
}

function migratorOf(database: Database): Migrator {
  return new Migrator({ db: database.write, provider: migrationsOf(database.engine) });
}

/** Names of migrations that have not run on this database yet, in their order. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  const migrations = await migratorOf(database).getMigrations();
  return migrations.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
}

/** Brings the tables up to date, all migrations or none; answers the names of those that ran. */
export async function migrate(database: Database): Promise<string[]> {
  const { error, results } = await withoutTimeLimit(database, () => migratorOf(database).migrateToLatest());
  if (error !== undefined) {
    throw new Error('The database could not be brought up to date; it is as it was before.', {
      cause: error,
    });
  }
  return (results ?? [])
    .filter(({ status }) => status === 'Success')
    .map(({ migrationName }) => migrationName);
}

/** A migration of a large table takes as long as it takes. */
function withoutTimeLimit<T>(database: Database, work: () => Promise<T>): Promise<T> {
  return database.engine === 'sqlite' ? database.sqlite.writer.withoutTimeLimit(work) : work();
}
