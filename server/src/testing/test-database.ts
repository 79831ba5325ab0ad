import { hash } from 'node:crypto';
import pg from 'pg';

/** The engine of the tests in this process. */
export const testEngine: 'sqlite' | 'postgres' =
  process.env.MUSTER_TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite';

/**
 * The database that belongs to a data directory. On PostgreSQL it is a separate database, created if it is missing, so
 * that an app that starts again in the same directory finds the data of the previous one. Undefined: SQLite.
 */
export async function prepareTestDatabase(dataDirectory: string): Promise<string | undefined> {
  if (testEngine === 'sqlite') return undefined;
  const name = databaseName(dataDirectory);
  await onServer(async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${name}`);
  });
  const url = new URL(serverUrl());
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

function serverUrl(): string {
  const url = process.env.MUSTER_TEST_DATABASE_URL;
  if (url === undefined) throw new Error('MUSTER_TEST_DATABASE_URL is set by the tests before they start');
  return url;
}

async function onServer(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
