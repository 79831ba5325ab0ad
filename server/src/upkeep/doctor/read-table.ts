import type { Config } from '../../foundation/settings/config.ts';
import { readTablePostgres } from './read-table-postgres.ts';
import { readTableSqlite } from './read-table-sqlite.ts';

/** The rows that the statement selects from the database of the installation. None if it is older than the table. */
export async function readTable<Row extends object>(
  { databaseUrl, dataDirectory }: Config,
  table: string,
  statement: string,
): Promise<Row[]> {
  return databaseUrl === undefined
    ? readTableSqlite<Row>(dataDirectory, table, statement)
    : readTablePostgres<Row>(databaseUrl, table, statement);
}
