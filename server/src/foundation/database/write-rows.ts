import type { Database } from './database.ts';
import type { SqliteValue } from './sqlite/sqlite-messages.ts';

export type RowValue = SqliteValue;

/** The same change of many rows, as a statement for one row, and as one that takes each column as an array. */
export interface RowsStatement {
  readonly sqlite: string;
  readonly postgres: string;
}

/** Applies a statement to rows of values in one durable commit, in the fastest way of each engine. */
export async function writeRows(
  database: Database,
  statement: RowsStatement,
  rows: readonly (readonly RowValue[])[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  switch (database.engine) {
    case 'sqlite':
      await database.sqlite.rows({ sql: statement.sqlite, rows });
      break;
    case 'postgres':
      await database.postgres.query(
        statement.postgres,
        first.map((_, column) => rows.map((row) => row[column])),
      );
      break;
  }
}
