import { join } from 'node:path';
import { sqliteFileName } from '../../foundation/database/sqlite/open-sqlite.ts';
import { readSqlite } from './read-sqlite.ts';

/** The rows that the statement selects, with the columns of `Row`. None if the database is older than the table, which another finding says. */
export function readTableSqlite<Row>(dataDirectory: string, table: string, statement: string): Row[] {
  return readSqlite(join(dataDirectory, sqliteFileName), (all) => {
    const hasTable = all(`select 1 from sqlite_schema where name = '${table}'`).length > 0;
    return hasTable ? (all(statement) as unknown as Row[]) : []; // the columns of the statement
  });
}
