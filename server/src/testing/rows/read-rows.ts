import { join } from 'node:path';
import pg from 'pg';
import { loadSqliteDriver } from '../../foundation/database/sqlite/load-driver.ts';
import { sqliteFileName } from '../../foundation/database/sqlite/open-sqlite.ts';
import { prepareTestDatabase } from '../test-database.ts';

/** Reads rows directly from the database of a running app. The caller names their type. */
export async function readRows<Row>(dataDirectory: string, sql: string): Promise<Row[]> {
  const connectionString = await prepareTestDatabase(dataDirectory);
  if (connectionString === undefined) {
    const { DatabaseSync } = loadSqliteDriver();
    const database = new DatabaseSync(join(dataDirectory, sqliteFileName));
    const rows = database.prepare(sql).all();
    database.close();
    return rows as Row[]; // as the caller says
  }
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows as Row[]; // as the caller says
}
