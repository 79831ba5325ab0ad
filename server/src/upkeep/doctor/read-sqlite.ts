import { loadSqliteDriver } from '../../foundation/database/sqlite/load-driver.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Opens a database to read it, also beside a running service. */
export function readSqlite<Result>(file: string, work: (all: (sql: string) => Row[]) => Result): Result {
  const { DatabaseSync } = loadSqliteDriver();
  const connection = new DatabaseSync(file);
  try {
    connection.exec('PRAGMA busy_timeout = 5000');
    connection.exec('PRAGMA query_only = ON');
    return work((sql) => connection.prepare(sql).all() as Row[]); // rows of named columns
  } finally {
    connection.close();
  }
}
