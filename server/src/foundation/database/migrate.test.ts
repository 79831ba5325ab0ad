import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dropTestDatabase, prepareTestDatabase, testEngine } from '../../testing/test-database.ts';
import type { Database } from './database.ts';
import { migrate, pendingMigrations } from './migrate.ts';
import { openDatabase } from './open-database.ts';

let dataDirectory: string;
const opened: Database[] = [];

beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
});

afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

async function open(): Promise<Database> {
  const databaseUrl = await prepareTestDatabase(dataDirectory);
  const database = await openDatabase({ dataDirectory, databaseUrl, onConnectionError: () => undefined });
  opened.push(database);
  return database;
}

/** Tables and indexes, without those of the migrator. */
async function schemaOf({ write, engine }: Database): Promise<string[]> {
  const names =
    engine === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where name not like 'sqlite_%'`
      : sql<{ name: string }>`select relname as name from pg_class
          join pg_namespace on pg_namespace.oid = relnamespace where nspname = 'public'`;
  const { rows } = await names.execute(write);
  return rows
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('kysely_'))
    .sort();
}

describe('migrate', () => {
  it('creates every table in an empty database, and returns the migrations that ran', async () => {
    const database = await open();
    const pending = await pendingMigrations(database);
    expect(pending.length).toBeGreaterThan(0);
    expect(await schemaOf(database)).toEqual([]);
    expect(await migrate(database)).toEqual(pending);
    expect(await pendingMigrations(database)).toEqual([]);
    expect(await schemaOf(database)).toEqual(
      expect.arrayContaining([
        'access_tokens',
        'agent_configs',
        'agent_errors',
        database.engine === 'sqlite' ? 'agent_error_rows_open' : 'agent_errors_standing',
        'agent_tokens',
        'agents',
        'project_tokens',
        'projects',
        'users',
      ]),
    );
  });

  it('does nothing in an up-to-date database, and keeps its data', async () => {
    const database = await open();
    await migrate(database);
    const before = await schemaOf(database);
    const project = {
      id: '019cae10-4f78-7000-8000-000000000000',
      name: 'kept',
      created_at: 1,
      updated_at: 1,
      deleted_at: null,
      freeze_windows: '[]',
    };
    await database.write.insertInto('projects').values(project).execute();
    expect(await migrate(database)).toEqual([]);
    expect(await schemaOf(database)).toEqual(before);
    expect(await database.read.selectFrom('projects').selectAll().execute()).toEqual([project]);
  });

  it('runs each migration once if several processes start at the same time', async () => {
    // Each replica has its own connections. On SQLite, a second process cannot open the database.
    const databases =
      testEngine === 'sqlite'
        ? Array<Database>(3).fill(await open())
        : [await open(), await open(), await open()];
    const pending = await pendingMigrations(databases[0] ?? (await open()));
    const ran = await Promise.all(databases.map((database) => migrate(database)));
    expect(ran.flat()).toEqual(pending);
  });

  it('changes nothing if it fails, and runs once the cause is removed', async () => {
    const database = await open();
    // Makes one of the last statements fail, so that much must be rolled back.
    await sql`create table agent_errors (mine integer)`.execute(database.write);
    const before = await schemaOf(database);
    const pending = await pendingMigrations(database);
    await expect(migrate(database)).rejects.toThrow('The database could not be migrated; it is unchanged.');
    expect(await schemaOf(database)).toEqual(before);
    expect(await pendingMigrations(database)).toEqual(pending);
    await sql`drop table agent_errors`.execute(database.write);
    expect(await migrate(database)).toEqual(pending);
  });

  it('reports the reason of a failure', async () => {
    const database = await open();
    await sql`create table agent_errors (mine integer)`.execute(database.write);
    const failure = await migrate(database).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      cause: { message: expect.stringMatching(/agent_errors.* already exists/) },
    });
  });

  it('refuses a database that a newer version has migrated', async () => {
    const database = await open();
    await migrate(database);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-from-the-future', '2099-01-01')`.execute(
      database.write,
    );
    await expect(migrate(database)).rejects.toThrow('The database could not be migrated');
  });

  it('refuses the database of a preview, and says what to do', async () => {
    const database = await open();
    await migrate(database);
    await sql`insert into kysely_migration (name, timestamp) values ('0002-open-errors-by-project', '2026-01-01')`.execute(
      database.write,
    );
    const before = await schemaOf(database);
    const refusal =
      'The database was not changed. Its tables are of a preview of Muster, from before the first release, and no release can read or update them. Start with an empty data directory (MUSTER_DATA_DIR) or an empty PostgreSQL database (DATABASE_URL), and register the agents again. What the preview stored can still be read with the preview.';
    await expect(migrate(database)).rejects.toThrow(refusal);
    await expect(pendingMigrations(database)).rejects.toThrow(refusal);
    expect(await schemaOf(database)).toEqual(before);
  });
});
