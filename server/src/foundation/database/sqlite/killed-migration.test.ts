import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MusterProcess, type ProcessEnd } from '../../../testing/muster-process.ts';
import type { SqliteDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { openSqlite } from './open-sqlite.ts';

const rows = 20_000;

let directory: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'muster-migration-'));
  await onDatabase(async (database) => {
    await migrate(database);
    await sql`insert into projects (id, name, created_at, updated_at)
      with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${rows})
      select printf('019b76db-0000-7000-8000-0000000%05x', number), 'project ' || number, 1, number from numbers`.execute(
      database.write,
    );
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

/** @param portion after which the process is killed; absent: it runs to its end */
async function runMigration(portion?: number): Promise<ProcessEnd> {
  const migration = new MusterProcess([directory], {
    program: ['--import', 'tsx', 'server/src/testing/migrate-in-portions.ts'],
    keepInputOpen: true,
  });
  for (let done = 0; done < 10; done += 1) {
    await migration.untilOutput(`portion ${done}\n`);
    if (done === portion) return migration.end('SIGKILL');
    migration.child.stdin?.write('\n');
  }
  return migration.ended;
}

/** Everything that the migration changes, and what proves that the file is whole. */
async function readDatabase() {
  return onDatabase(async ({ read }) => ({
    migrations: (await sql`select name from kysely_migration order by name`.execute(read)).rows,
    projects: (await sql`select * from projects order by id`.execute(read)).rows,
    integrity: (await sql`pragma integrity_check`.execute(read)).rows,
  }));
}

it('leaves everything as it was, and has the same result as without a kill when it runs again', async () => {
  const before = await readDatabase();
  expect(before).toMatchObject({
    migrations: [{ name: '0001-initial' }],
    integrity: [{ integrity_check: 'ok' }],
  });
  expect(before.projects).toHaveLength(rows);
  for (const portion of [4, 9]) {
    expect(await runMigration(portion)).toEqual({ code: null, signal: 'SIGKILL' });
    expect(await readDatabase()).toEqual(before);
  }
  expect(await runMigration()).toEqual({ code: 0, signal: null });
  const projects = before.projects as readonly { readonly name: string }[]; // rows of `select *`
  expect(await readDatabase()).toEqual({
    migrations: [{ name: '0001-initial' }, { name: '0002-invented' }],
    projects: projects.map((project) => ({ ...project, name: `${project.name} (calm)`, mood: 'calm' })),
    integrity: [{ integrity_check: 'ok' }],
  });
});
