import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open-database.ts';
import { sqliteFileName } from '../database/sqlite/open-sqlite.ts';

/**
 * Creates a database with all tables on each engine, which apps of tests copy: the migrations took a third of their
 * start. Tests of migrations and of a first start begin with an empty database. Returns the function that removes them.
 */
export async function createMigratedTemplates(
  serverUrl: string,
  folder: string,
): Promise<() => Promise<void>> {
  const removeSqlite = await createSqliteTemplate(folder);
  const removePostgres = await createPostgresTemplate(serverUrl);
  return async () => {
    removeSqlite();
    await removePostgres();
  };
}

async function createSqliteTemplate(folder: string): Promise<() => void> {
  const dataDirectory = mkdtempSync(join(folder, 'muster-template-'));
  await createTables(dataDirectory, undefined);
  process.env.MUSTER_TEST_SQLITE_TEMPLATE = join(dataDirectory, sqliteFileName);
  return () => rmSync(dataDirectory, { recursive: true, force: true });
}

async function createPostgresTemplate(serverUrl: string): Promise<() => Promise<void>> {
  const name = `muster_template_${randomBytes(6).toString('hex')}`;
  await execute(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await createTables('', url.toString());
  // A database that is connected to cannot be copied.
  await execute(serverUrl, `alter database ${name} allow_connections false`);
  process.env.MUSTER_TEST_POSTGRES_TEMPLATE = name;
  return () => execute(serverUrl, `drop database if exists ${name} with (force)`);
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
