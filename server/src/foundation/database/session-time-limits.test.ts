import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPostgresSession, type PostgresSession } from '../../testing/postgres/postgres-session.ts';
import { dropTestDatabase, prepareTestDatabase } from '../../testing/test-database.ts';
import { openSession } from './postgres/open-session.ts';

const place = 'session-time-limits';
let other: PostgresSession;

beforeAll(async () => {
  other = await openPostgresSession(place);
});
afterAll(async () => {
  await other.end();
  await dropTestDatabase(place);
});

it('keeps a backup or a restore from being ended by the time limits that the database has', async () => {
  const [database] = await other.query<{ name: string }>('select current_database() as name');
  for (const limit of ['statement_timeout', 'idle_session_timeout', 'idle_in_transaction_session_timeout']) {
    await other.query(`alter database ${database?.name} set ${limit} = '1min'`);
  }
  const session = await openSession((await prepareTestDatabase(place)) ?? '', 'muster backup');
  const { rows } = await session.query(
    "select name, setting from pg_settings where name ~ '^(statement|idle.*|transaction)_timeout$' and setting <> '0'",
  );
  expect(rows).toEqual([]);
  await session.end();
});
