import { PassThrough } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLogger } from '../../app/create-logger.ts';
import { eventually } from '../../testing/eventually.ts';
import { openPostgresSession, type PostgresSession } from '../../testing/postgres/postgres-session.ts';
import { dropTestDatabase, prepareTestDatabase } from '../../testing/test-database.ts';
import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';

const place = 'logged-failures';
const lines: Record<string, unknown>[] = [];
let database: Database;
let other: PostgresSession;

const stream = new PassThrough();
stream.on('data', (chunk) => lines.push(JSON.parse(String(chunk)) as Record<string, unknown>));
const logger = createLogger({ level: 'info', format: 'json', isTerminal: false, destination: stream });

beforeAll(async () => {
  database = await openDatabase({
    dataDirectory: place,
    databaseUrl: await prepareTestDatabase(place),
    onConnectionError: (err) => logger.warn({ err }, 'a connection to the database broke'),
  });
  other = await openPostgresSession(place);
});
afterAll(async () => {
  await other.end();
  await database.close();
  await dropTestDatabase(place);
});

it('logs a lost connection with its reason alone, and uses another one', async () => {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.read);
  await other.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
  await eventually(async () => expect(lines).toHaveLength(1));
  expect(lines[0]).toEqual({
    level: 'warn',
    time: expect.any(String),
    pid: process.pid,
    hostname: expect.any(String),
    err: {
      type: 'DatabaseError',
      message: 'terminating connection due to administrator command',
      stack: expect.stringContaining('terminating connection due to administrator command'),
      code: '57P01',
      severity: 'FATAL',
      routine: 'ProcessInterrupts',
    },
    msg: 'a connection to the database broke',
  });
  const again = await sql<{ one: number }>`select 1 as one`.execute(database.read);
  expect(again.rows).toEqual([{ one: 1 }]);
});

it('logs no value of a row that the database refuses', async () => {
  const insert = sql`insert into kept (id, secret) values (${1}, ${'canary'})`;
  await sql`create table kept (id int primary key, secret text, check (id < 1))`.execute(database.write);
  const error: unknown = await insert.execute(database.write).catch((reason: unknown) => reason);
  expect((error as { detail?: string }).detail).toContain('canary'); // an error of the driver
  logger.error({ err: error }, 'request failed');
  const line = lines.at(-1);
  expect(line?.err).toMatchObject({ code: '23514', table: 'kept', constraint: 'kept_id_check' });
  expect(JSON.stringify(line)).not.toContain('canary');
});
