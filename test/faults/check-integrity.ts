import { loadSqliteDriver } from '../../server/src/database/sqlite/load-driver.ts';

/** What SQLite says of a database: `ok`, or everything that is wrong with it. */
export function checkIntegrity(file: string): string {
  const { DatabaseSync } = loadSqliteDriver();
  const database = new DatabaseSync(file);
  try {
    const rows = database.prepare('pragma integrity_check').all();
    return rows.map((row) => String(Object.values(row as object)[0])).join('; '); // one named column
  } finally {
    database.close();
  }
}
