import { hash, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Migrator } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresSession, type PostgresSession } from '../testing/postgres/postgres-session.ts';
import { dropTestDatabase, prepareTestDatabase } from '../testing/test-database.ts';
import type { PostgresDatabase } from './database.ts';
import { type MigrationProgress, migrate, pendingMigrations, removeSuperseded } from './migrate.ts';
import { createInitialTables } from './migrations/0001-initial.ts';
import { narrowOpenErrorsByProject } from './migrations/0002-open-errors-by-project.ts';
import { addIdentities } from './migrations/0003-identities.ts';
import { createAgentSigns } from './migrations/0005-agent-signs.ts';
import { addErrorGroups } from './migrations/0006-error-groups.ts';
import { openPostgres } from './postgres/open-postgres.ts';
import { knownMigration } from './postgres/session-name.ts';

const projectID = '019b76da-a800-7000-8000-000000000001';
const migration = '0007-errors-by-project';
const untouched = [
  'agent_errors_by_group',
  'agent_errors_muted',
  'agent_errors_superseded',
  'agent_errors_superseded_by_project',
];
const olderIndexes = [
  ...untouched,
  'agent_errors_by_dismissal',
  'agent_errors_by_id',
  'agent_errors_by_project',
  'agent_errors_open',
  'agent_errors_open_by_project',
  'agent_errors_pkey',
].sort();
const newIndexes = [
  ...untouched,
  'agent_errors_by_id',
  'agent_errors_dismissed',
  'agent_errors_expiring',
  'agent_errors_key',
  'agent_errors_of_dismissal',
  'agent_errors_open_by_project',
  'agent_errors_standing',
].sort();
const laterMigrations = readdirSync(new URL('migrations', import.meta.url))
  .filter((file) => /^\d{4}-/.test(file))
  .map((file) => file.replace('.ts', ''))
  .filter((name) => name > migration)
  .sort();
const rows = 2_000;

let dataDirectory: string;
let databaseUrl: string;
let session: PostgresSession;
const opened: PostgresDatabase[] = [];

beforeEach(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  session = await openPostgresSession(dataDirectory);
  databaseUrl = (await prepareTestDatabase(dataDirectory)) ?? '';
});

afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  await session.end();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

function open(): PostgresDatabase {
  const database = openPostgres({ databaseUrl, onConnectionError: () => undefined });
  opened.push(database);
  return database;
}

/** As the version before has left it. */
async function openOlder(): Promise<PostgresDatabase> {
  const database = open();
  const migrator = new Migrator({
    db: database.write,
    provider: {
      getMigrations: async () => ({
        '0001-initial': { up: (db) => createInitialTables(db, 'postgres') },
        '0002-open-errors-by-project': { up: (db) => narrowOpenErrorsByProject(db, 'postgres') },
        '0003-identities': { up: (db) => addIdentities(db, 'postgres') },
        '0004-compact-errors': { up: async () => undefined },
        '0005-agent-signs': { up: (db) => createAgentSigns(db, 'postgres') },
        '0006-error-groups': { up: (db) => addErrorGroups(db, 'postgres') },
      }),
    },
  });
  const { error } = await migrator.migrateToLatest();
  expect(error).toBeUndefined();
  await session.query(
    `insert into agent_errors (
       agent_id, id, project_id, error, error_digest, epoch, created_at, occurrences, last_seen_at, dismissed_at)
     select gen_random_uuid(), gen_random_uuid(), $1, 'error', sha256(n::text::bytea), 1, 1, 1, 1,
       case when n % 2 = 0 then 1 end
     from generate_series(1, ${rows}) as n`,
    [projectID],
  );
  return database;
}

async function readIndexes(): Promise<string[]> {
  const found = await session.query<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index
     where indrelid = 'agent_errors'::regclass and indisvalid`,
  );
  return found.map(({ name }) => name).sort();
}

const both = [...new Set([...olderIndexes, ...newIndexes])].sort();

describe('errors by project', () => {
  it('has its indexes alone on a new database', async () => {
    await migrate(open());
    expect(await readIndexes()).toEqual(newIndexes);
    const key = await session.query(
      `select conname as name from pg_constraint where conrelid = 'agent_errors'::regclass and contype = 'p'`,
    );
    expect(key).toEqual([{ name: 'agent_errors_key' }]);
  });

  it('tells what disk it needs before it begins, and how far it is', async () => {
    const database = await openOlder();
    await session.query('analyze agent_errors');
    const told: (string | MigrationProgress)[] = [];
    await migrate(database, {
      onNotice: (notice) => told.push(notice),
      onProgress: (progress) => told.push(progress),
    });
    expect(told[0]).toMatch(/^This version makes new indexes .* needs about 0\.0 GB of free space /);
    const total = 4 * rows;
    const unit = 'index entries';
    expect(told.slice(1)).toEqual(
      expect.arrayContaining([
        { migration, done: 0, total, unit },
        { migration, done: rows, total, unit },
        { migration, done: total, total, unit },
      ]),
    );
    expect(await readIndexes()).toEqual(newIndexes);
  });

  it('keeps what an older version uses while one is connected, whose reports are stored as before', async () => {
    const database = await openOlder();
    const older = new pg.Client({ connectionString: databaseUrl, application_name: 'muster' });
    await older.connect();
    await migrate(database);
    expect(await readIndexes()).toEqual(both);

    const insert = async (client: Pick<pg.Client, 'query'>, conflict: string, text: string) => {
      const { rows: inserted } = await client.query(
        `insert into agent_errors (
           agent_id, id, project_id, error, error_digest, epoch, created_at, occurrences, last_seen_at)
         values ($1, $2, $1, $3, $4, 1, 1, 1, 1) on conflict ${conflict} do nothing returning error`,
        [projectID, randomUUID(), text, hash('sha256', text, 'buffer')],
      );
      return inserted.length;
    };
    const newer = new pg.Client({ connectionString: databaseUrl });
    await newer.connect();
    const ofOlder = '(agent_id, epoch, error_digest) where dismissed_at is null';
    expect(await insert(older, ofOlder, 'one')).toBe(1);
    expect(await insert(newer, '', 'one')).toBe(0);
    expect(await insert(newer, '', 'two')).toBe(1);
    expect(await insert(older, ofOlder, 'two')).toBe(0);
    await newer.end();

    await removeSuperseded(database);
    expect(await readIndexes()).toEqual(both);
    await older.end();
    await expect
      .poll(async () => {
        await removeSuperseded(database);
        return readIndexes();
      })
      .toEqual(newIndexes);
  });

  it('does not wait with the removal for somebody who uses the errors for long', async () => {
    const database = await openOlder();
    const older = new pg.Client({ connectionString: databaseUrl, application_name: 'muster' });
    await older.connect();
    await migrate(database);
    await session.query('begin');
    await session.query('select from agent_errors limit 1');
    await older.end();
    await removeSuperseded(database);
    expect(await readIndexes()).toEqual(both);
    await session.query('commit');
    await removeSuperseded(database);
    expect(await readIndexes()).toEqual(newIndexes);
  });

  it('goes on after it was ended while it made an index', async () => {
    const database = await openOlder();
    const holder = await openPostgresSession(dataDirectory);
    await holder.query('begin isolation level repeatable read');
    await holder.query('select from projects');
    await holder.query('insert into users (id, name, created_at) values ($1, $2, 1)', [projectID, 'user']);
    const ended = expect(migrate(database)).rejects.toThrow(
      'The index agent_errors_key could not be made. Nothing is lost',
    );
    await session.waitForBlocked('create unique index concurrently', 1);
    await session.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and query like 'create unique index concurrently%'`,
    );
    await ended;
    expect(await pendingMigrations(database)).toEqual([migration, ...laterMigrations]);
    expect(await readIndexes()).toEqual(olderIndexes);
    await holder.query('rollback');
    await holder.end();
    expect(await migrate(database)).toEqual([migration, ...laterMigrations]);
    expect(await readIndexes()).toEqual(newIndexes);
  });

  it('is made once when replicas start at the same time', async () => {
    await openOlder();
    const ran = await Promise.all([migrate(open()), migrate(open()), migrate(open())]);
    expect(ran.flat()).toEqual([migration, ...laterMigrations]);
    expect(await readIndexes()).toEqual(newIndexes);
  });
});

describe('a session', () => {
  it('is named after the newest migration', () => {
    const numbers = readdirSync(new URL('migrations', import.meta.url)).flatMap((name) =>
      /^\d{4}-.*\.ts$/.test(name) ? Number(name.slice(0, 4)) : [],
    );
    expect(knownMigration).toBe(Math.max(...numbers));
  });
});
