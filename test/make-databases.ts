import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../server/src/foundation/database/migrate.ts';
import { openDatabase } from '../server/src/foundation/database/open-database.ts';
import { sqliteFileName } from '../server/src/foundation/database/sqlite/open-sqlite.ts';
import { quickSettings, startPostgresServer } from '../server/src/testing/postgres/postgres-server.ts';
import type { TestSupplies } from '../server/src/testing/test-supplies.ts';

/**
 * Creates a database with all tables, which apps of tests copy: the migrations took a third of their start. Tests of migrations and of a first start
 * begin with an empty database.
 */
export async function makeSqliteTemplate(folder: string): Promise<TestSupplies['sqlite']> {
  const dataDirectory = mkdtempSync(join(folder, 'muster-template-'));
  await createTables(dataDirectory, undefined);
  return { template: join(dataDirectory, sqliteFileName) };
}

/** Starts one PostgreSQL for all tests, unless MUSTER_TEST_DATABASE_URL names one, and creates a database with all tables on it. */
export async function makePostgres(
  folder: string,
  undo: (() => Promise<void>)[],
): Promise<TestSupplies['postgres']> {
  const url = process.env.MUSTER_TEST_DATABASE_URL ?? (await startServer(folder, undo));
  const template = `muster_template_${randomBytes(6).toString('hex')}`;
  await execute(url, `create database ${template}`);
  undo.push(() => execute(url, `drop database if exists ${template} with (force)`));
  const location = new URL(url);
  location.pathname = `/${template}`;
  await createTables('', location.toString());
  // A database that is connected to cannot be copied.
  await execute(url, `alter database ${template} allow_connections false`);
  return { url, template };
}

async function startServer(folder: string, undo: (() => Promise<void>)[]): Promise<string> {
  const server = await startPostgresServer({
    settings: {
      ...quickSettings,
      max_connections: '300',
      max_wal_size: '256MB',
      // Work in the background on hundreds of databases that live for seconds.
      autovacuum: 'off',
      checkpoint_timeout: '1d',
    },
    parentDirectory: folder,
  });
  undo.push(() => server.remove());
  return server.url();
}

async function createTables(dataDirectory: string, databaseUrl: string | undefined): Promise<void> {
  const database = await openDatabase({ dataDirectory, databaseUrl, onConnectionError: () => undefined });
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
}

async function execute(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
