import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../testing/eventually.ts';
import {
  type PostgresServer,
  quickSettings,
  startPostgresServer,
} from '../../../testing/postgres/postgres-server.ts';
import { startTestApp } from '../../../testing/start-test-app.ts';
import { isDatabaseFailure } from '../database-failures.ts';
import { openPostgres } from './open-postgres.ts';

let server: PostgresServer;
let place: string;

beforeAll(async () => {
  server = await startPostgresServer({ settings: { ...quickSettings, password_encryption: 'md5' } });
  place = `127.0.0.1:${server.port}`;
  await query(`
    create role locked login password 'right';
    create role tls_only login;
    create role crowded login connection limit 0;`);
  const rules = join(server.dataDirectory, 'pg_hba.conf');
  writeFileSync(
    rules,
    'host all locked all md5\nhostssl all tls_only all trust\nhost all muster,crowded,stranger all trust\n',
  );
  await server.stop();
  await server.start();
});

afterAll(() => server.remove());

async function query(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url() });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** Connects and returns why that failed: the message, and the message of the driver. */
async function failureOf(databaseUrl: string): Promise<{ message: string; because: string }> {
  const database = openPostgres({ databaseUrl, onConnectionError: () => undefined });
  const failure = await database.check().catch((error: unknown) => error);
  await database.close();
  if (!(failure instanceof Error) || !(failure.cause instanceof Error)) throw new Error('it was not refused');
  expect(isDatabaseFailure(failure)).toBe(true);
  expect(failure.message).not.toContain('hunter2');
  return { message: failure.message, because: failure.cause.message };
}

const as = (user: string, database = 'postgres') => `postgres://${user}@${place}/${database}`;

describe('a database URL that cannot be connected to', () => {
  it.each([
    [
      'nothing listens',
      () => 'postgres://muster:hunter2@127.0.0.1:1/muster',
      () =>
        'Nothing listens on 127.0.0.1:1. Look whether PostgreSQL runs there, whether it listens on that address (listen_addresses), and whether host and port in DATABASE_URL are right.',
    ],
    [
      'an unknown host',
      () => 'postgres://muster:hunter2@nowhere.invalid/muster',
      () =>
        'The host name of nowhere.invalid:5432 cannot be resolved. Correct it in DATABASE_URL, or the name service (DNS) of this machine.',
    ],
    [
      'a wrong password',
      () => as('locked:hunter2'),
      () =>
        `PostgreSQL on ${place} does not take the password of user locked. Correct user and password in DATABASE_URL; a password with special characters has to be percent-encoded there.`,
    ],
    [
      'a server that wants TLS',
      () => as('tls_only'),
      () =>
        `PostgreSQL on ${place} does not let user tls_only use the database postgres without TLS. Add ?sslmode=verify-full to DATABASE_URL, or allow this client in pg_hba.conf.`,
    ],
    [
      'a server that has no TLS',
      () => `${as('muster')}?sslmode=verify-full`,
      () =>
        `PostgreSQL on ${place} has no TLS. Turn it on there (ssl = on), or take sslmode out of DATABASE_URL where the network is trusted.`,
    ],
    [
      'an unknown user',
      () => as('stranger'),
      () =>
        `PostgreSQL on ${place} does not let user stranger use the database postgres from here. Allow it in pg_hba.conf, or correct user and database in DATABASE_URL.`,
    ],
    [
      'a missing database',
      () => as('muster', 'absent'),
      () =>
        `PostgreSQL on ${place} has no database absent. Create it (createdb absent), or correct its name in DATABASE_URL.`,
    ],
    [
      'too many connections',
      () => as('crowded'),
      () =>
        `PostgreSQL on ${place} has as many connections as it takes. Each replica of Muster uses up to 10: raise max_connections or the limit of the user, or run fewer replicas.`,
    ],
  ])('%s: the message says where it failed and what to do', async (_, url, expected) => {
    expect((await failureOf(url())).message).toBe(expected());
  });

  it('a host that does not answer: the message comes after 2 s', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { message } = await failureOf(`postgres://muster:hunter2@127.0.0.1:${port}/muster`);
    silent.close();
    expect(message).toBe(
      `127.0.0.1:${port} does not answer within 2 s. Look whether the host is up, whether a firewall is in between, and whether host and port in DATABASE_URL are right.`,
    );
  });

  it('several hosts: the message explains each one and keeps the messages of the driver', async () => {
    const url = `postgres://muster@127.0.0.1:1,${place}/absent`;
    expect(await failureOf(url)).toEqual({
      message: expect.stringMatching(
        new RegExp(`^Nothing listens on 127.0.0.1:1\\. .* PostgreSQL on ${place} has no database absent\\. `),
      ),
      because: 'connect ECONNREFUSED 127.0.0.1:1; database "absent" does not exist',
    });
  });

  it('is explained in the log when a service is no longer ready', async () => {
    await query('create database ready');
    const test = await startTestApp({ config: { databaseUrl: server.url('ready') } });
    try {
      expect((await test.request('GET', '/readyz')).status).toBe(200);
      await server.stop();
      await eventually(async () => expect((await test.request('GET', '/readyz')).status).toBe(503));
      expect(test.logs.join('')).toContain(`Nothing listens on ${place}. Look whether PostgreSQL runs there`);
    } finally {
      await test.close();
      await server.start();
    }
  });
});
