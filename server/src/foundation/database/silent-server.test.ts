import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, expect, it, vi } from 'vitest';
import { openPostgresSession } from '../../testing/postgres/postgres-session.ts';
import { dropTestDatabase, prepareTestDatabase } from '../../testing/test-database.ts';
import { openDatabase } from './open-database.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('does not reuse a connection after its server stopped answering, because the answer may still arrive', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const databaseUrl = await prepareTestDatabase(dataDirectory);
  const database = await openDatabase({ dataDirectory, databaseUrl, onConnectionError: () => undefined });
  const session = await openPostgresSession(dataDirectory);
  const connectionOf = async () => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.read);
    return rows[0]?.pid;
  };
  const before = await connectionOf();
  expect(await connectionOf()).toBe(before);

  await session.query('select pg_advisory_lock(1)');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const silent = sql`select pg_advisory_lock(1)`.execute(database.read).catch((error: unknown) => error);
  const isWaiting = async () =>
    (await session.query(`select 1 from pg_locks where locktype = 'advisory' and not granted`)).length > 0;
  while (!(await isWaiting()));
  vi.advanceTimersByTime(10_000);
  expect(await silent).toMatchObject({ message: 'Query read timeout' });
  vi.useRealTimers();
  await session.query('select pg_advisory_unlock(1)');
  expect(await connectionOf()).not.toBe(before);

  await session.end();
  await database.close();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});
