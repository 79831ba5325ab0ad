import type pg from 'pg';
import { openSession } from '../../foundation/database/postgres/open-session.ts';

/** The rows that the statement selects, with the columns of `Row`. None if the database is older than the table, which another finding says. */
export async function readTablePostgres<Row extends pg.QueryResultRow>(
  databaseUrl: string,
  table: string,
  statement: string,
): Promise<Row[]> {
  const session = await openSession(databaseUrl, 'muster doctor');
  try {
    await session.query('set default_transaction_read_only = on');
    const { rows } = await session.query<{ name: string | null }>('select to_regclass($1)::text as name', [
      table,
    ]);
    return rows[0]?.name == null ? [] : (await session.query<Row>(statement)).rows;
  } finally {
    await session.end();
  }
}
