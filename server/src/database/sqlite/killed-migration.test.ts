import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Migrator, sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MusterProcess } from '../../testing/muster-process.ts';
import type { SqliteDatabase } from '../database.ts';
import { createInitialTables } from '../migrations/0001-initial.ts';
import { narrowOpenErrorsByProject } from '../migrations/0002-open-errors-by-project.ts';
import { addIdentities } from '../migrations/0003-identities.ts';
import { openSqlite } from './open-sqlite.ts';

const rows = 50_000;
const projectID = '019b76da-a800-7000-8000-000000000001';

let directory: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'muster-migration-'));
  await onDatabase(async (database) => {
    const migrator = new Migrator({
      db: database.write,
      provider: {
        getMigrations: async () => ({
          '0001-initial': { up: (db) => createInitialTables(db, 'sqlite') },
          '0002-open-errors-by-project': { up: (db) => narrowOpenErrorsByProject(db, 'sqlite') },
          '0003-identities': { up: (db) => addIdentities(db, 'sqlite') },
        }),
      },
    });
    await migrator.migrateToLatest();
    await database.sqlite.rows({
      sql: `insert into agent_errors (agent_id, id, project_id, error, error_digest, epoch, created_at, occurrences, last_seen_at)
        with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${rows})
        select printf('019b76da-a800-7000-8000-0000000%05x', number % 100), printf('019b76db-%04x-7000-8000-0000000%05x', number, number),
          '${projectID}', 'error ' || number, randomblob(32), 1,
          ('0x019b76db' || printf('%04x', number)) ->> '$', 1, 1
        from numbers`,
      rows: [[]],
    });
  });
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

async function onDatabase<Result>(work: (database: SqliteDatabase) => Promise<Result>): Promise<Result> {
  const database = await openSqlite(directory);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

function startMigration(): MusterProcess {
  return new MusterProcess(['migrate', '--data-dir', directory]);
}

async function readErrors(): Promise<unknown[]> {
  return onDatabase(({ read }) =>
    read
      .selectFrom('agent_errors')
      .select(['agent_id', 'id', 'project_id', 'error', 'epoch', 'created_at', 'occurrences', 'last_seen_at'])
      .orderBy('id')
      .execute(),
  );
}

it('has the same result as without a kill', async () => {
  const before = await readErrors();
  expect(before).toHaveLength(rows);
  const begins: string[] = [];
  // Each run is killed at its nth progress report: at its start, and within each later commit.
  for (const kill of [1, 2, 2, 2]) {
    const migration = startMigration();
    let told = 0;
    migration.child.stderr?.setEncoding('utf8').on('data', (lines: string) => {
      const reports = lines.split('\n').filter((line) => line.startsWith('0004-compact-errors: '));
      if (told === 0) begins.push(...reports.slice(0, 1));
      told += reports.length;
      if (told >= kill) void migration.end('SIGKILL');
    });
    await migration.ended;
  }
  expect(await startMigration().ended).toEqual({ code: 0, signal: null });
  expect(begins[0]).toBe(`0004-compact-errors: 0 of ${rows} rows`);
  expect(await readErrors()).toEqual(before);
  const checked = await onDatabase(({ read }) => sql`pragma integrity_check`.execute(read));
  expect(checked.rows).toEqual([{ integrity_check: 'ok' }]);
});
