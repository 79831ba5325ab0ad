import { join } from 'node:path';
import pg from 'pg';
import { loadSqliteDriver } from '../../foundation/database/sqlite/load-driver.ts';
import { sqliteFileName } from '../../foundation/database/sqlite/open-sqlite.ts';
import { prepareTestDatabase } from '../test-database.ts';

/** Reads rows directly from the database of a running app. The caller names their type. */
export async function readRows<Row>(dataDirectory: string, sql: string): Promise<Row[]> {
  const reader = await openRowReader(dataDirectory);
  const rows = await reader.read<Row>(sql);
  await reader.close();
  return rows;
}

export interface RowReader {
  read<Row>(sql: string): Promise<Row[]>;
  close(): Promise<void>;
}

/** The same for many reads. */
export async function openRowReader(dataDirectory: string): Promise<RowReader> {
  const connectionString = await prepareTestDatabase(dataDirectory);
  if (connectionString === undefined) {
    const { DatabaseSync } = loadSqliteDriver();
    const database = new DatabaseSync(join(dataDirectory, sqliteFileName));
    return {
      read: async <Row>(sql: string) => database.prepare(sql).all() as Row[], // as the caller says
      close: async () => database.close(),
    };
  }
  const client = new pg.Client({ connectionString });
  await client.connect();
  return {
    read: async <Row>(sql: string) => (await client.query(sql)).rows as Row[], // as the caller says
    close: () => client.end(),
  };
}
