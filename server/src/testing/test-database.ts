import { hash } from 'node:crypto';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { sqliteFileName } from '../foundation/database/sqlite/open-sqlite.ts';
import { takeSupply } from './test-supplies.ts';

/** The engine of the tests in this process. */
export const testEngine: 'sqlite' | 'postgres' =
  process.env.MUSTER_TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite';

/**
 * The database that belongs to a data directory. On PostgreSQL it is a separate database, created if it is missing, so
 * that an app that starts again in the same directory finds the data of the previous one. Undefined: SQLite.
 */
export async function prepareTestDatabase(dataDirectory: string): Promise<string | undefined> {
  return testEngine === 'sqlite' ? undefined : createIfMissing(dataDirectory, 'template1');
}

/** Like `prepareTestDatabase`, but a new database has all tables already. An existing one stays as it is. */
export async function prepareMigratedDatabase(dataDirectory: string): Promise<string | undefined> {
  if (testEngine === 'postgres') {
    return createIfMissing(dataDirectory, (await takeSupply('postgres')).template);
  }
  // A script outside of a run has no template, and pays for the migrations.
  if (process.env.MUSTER_TEST_SUPPLIES !== undefined && readdirSync(dataDirectory).length === 0) {
    copyFileSync((await takeSupply('sqlite')).template, join(dataDirectory, sqliteFileName));
  }
  return undefined;
}

async function createIfMissing(dataDirectory: string, template: string): Promise<string> {
  const name = databaseName(dataDirectory);
  await onServer(async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    // A copy of the files takes half as long as one through the log.
    if (rowCount === 0) await client.query(`create database ${name} template ${template} strategy file_copy`);
  });
  const url = new URL((await takeSupply('postgres')).url);
  url.pathname = `/${name}`;
  return url.toString();
}

export async function dropTestDatabase(dataDirectory: string): Promise<void> {
  if (testEngine === 'sqlite') return;
  await onServer(async (client) => {
    await client.query(`drop database if exists ${databaseName(dataDirectory)} with (force)`);
  });
}

function databaseName(dataDirectory: string): string {
  return `muster_test_${hash('sha256', dataDirectory).slice(0, 24)}`;
}

async function onServer(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: (await takeSupply('postgres')).url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
