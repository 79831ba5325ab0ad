import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { loadSqliteDriver } from '../../foundation/database/sqlite/load-driver.ts';
import { sqliteFileName } from '../../foundation/database/sqlite/open-sqlite.ts';
import { prepareTestDatabase } from '../test-database.ts';

/** Changes rows directly in the database of a running app; returns how many. */
export async function changeRows(dataDirectory: string, sql: string): Promise<number> {
  const connectionString = await prepareTestDatabase(dataDirectory);
  if (connectionString === undefined) {
    const { DatabaseSync } = loadSqliteDriver();
    const database = new DatabaseSync(join(dataDirectory, sqliteFileName));
    // A transaction of the app in this process ends only while this one does not wait.
    database.exec('PRAGMA busy_timeout = 0');
    for (;;) {
      try {
        const { changes } = database.prepare(sql).run();
        database.close();
        return Number(changes);
      } catch (error) {
        if (!(error instanceof Error) || error.message !== 'database is locked') throw error;
        await setImmediate();
      }
    }
  }
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rowCount } = await client.query(sql);
  await client.end();
  return rowCount ?? 0;
}
