import { loadSqliteDriver } from '../../server/src/foundation/database/sqlite/load-driver.ts';

/** The result of SQLite's integrity check: `ok`, or all faults. */
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
