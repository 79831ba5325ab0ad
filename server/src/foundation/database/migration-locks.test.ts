import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresSession } from '../../testing/postgres/postgres-session.ts';
import { dropTestDatabase, prepareMigratedDatabase, testEngine } from '../../testing/test-database.ts';
import { migrate } from './migrate.ts';
import { type Migrations, migrationsOf } from './migrations/migrations.ts';
import { openPostgres } from './postgres/open-postgres.ts';

if (testEngine !== 'postgres') {
  process.stderr.write('Skipped on SQLite: no other process has its database open.\n');
}

let dataDirectory: string;

beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
});

afterEach(async () => {
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

/** Those of a later version. */
const migrations: Migrations = {
  ...migrationsOf('postgres'),
  '0002-invented': {
    async up(db) {
      await sql`alter table agents add column mood text`.execute(db);
    },
  },
};

describe.runIf(testEngine === 'postgres')('a migration that waits for a lock', () => {
  it('says so, and goes on when the other transaction has ended', async () => {
    const databaseUrl = (await prepareMigratedDatabase(dataDirectory)) ?? '';
    const database = openPostgres({ databaseUrl, onConnectionError: () => undefined });
    const holder = await openPostgresSession(dataDirectory);
    await holder.query('begin');
    await holder.query('select 1 from agents');
    const notices: string[] = [];
    const ran = await migrate(database, {
      migrations,
      lockPauseMilliseconds: 0,
      onNotice(notice) {
        notices.push(notice);
        void holder.query('rollback');
      },
    });
    expect(ran).toEqual(['0002-invented']);
    expect(notices).toEqual([expect.stringContaining('another session of PostgreSQL uses')]);
    expect(await holder.query('select mood from agents')).toEqual([]);
    await holder.end();
    await database.close();
  });
});
