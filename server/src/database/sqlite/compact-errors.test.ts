import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Migrator, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSqliteAgentErrorStore } from '../../agent-errors/agent-error-store-sqlite.ts';
import type { SqliteDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { createInitialTables } from '../migrations/0001-initial.ts';
import { narrowOpenErrorsByProject } from '../migrations/0002-open-errors-by-project.ts';
import { addIdentities } from '../migrations/0003-identities.ts';
import { copyErrorsAhead } from '../migrations/0004-compact-errors.ts';
import { openSqlite } from './open-sqlite.ts';
import { requireRoomForRewrite } from './require-room.ts';
import type { SqliteValue } from './sqlite-messages.ts';

const projectID = '019b76da-a800-7000-8000-000000000001';
const agentIDs = [0, 1, 2].map((number) => `019b76da-a800-7000-8000-0000000001${number}0`);
const text = (number: number) => `error ${number}`;

let directory: string;
let database: SqliteDatabase;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'muster-compact-'));
  database = await openSqlite(directory);
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
    sql: 'insert into projects (id, name, created_at, updated_at) values (?, ?, 0, 0)',
    rows: [[projectID, 'project']],
  });
  await insertOld(oldIDs);
});

afterEach(async () => {
  await database.close();
  rmSync(directory, { recursive: true });
});

/** Ids as they are made, ids that share a place, and ids of a clock that stood still for very long. */
const oldIDs = [
  ...Array.from(
    { length: 50 },
    (_, number) => `019b76da-a8${10 + number}-7000-8000-00000000000${number % 10}`,
  ),
  ...Array.from({ length: 50 }, (_, number) => `019b76db-0000-7000-80${10 + number}-00000000000a`),
  ...Array.from({ length: 7 }, (_, number) => `019b76dc-0000-7000-8000-00000000000${number}`),
  '019b76dc-0000-7000-8000-040000000000',
  '019b76dc-0001-7fff-bfff-ffffffffffff',
  '019b76dc-0001-7800-8000-000000000000',
];

async function insertOld(ids: readonly string[], first = 0): Promise<void> {
  const rows = ids.map((id, index): SqliteValue[] => {
    const number = first + index;
    const createdAt = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
    const dismissal =
      number % 3 === 0 ? [createdAt + 5, 'fixed', 'user', projectID] : [null, null, null, null];
    return [
      agentIDs[number % 3] ?? '',
      id,
      projectID,
      text(number),
      Buffer.from(`${number}`.padStart(32, '0')),
      number % 2,
      number % 5 === 0 ? null : '019b76da-a800-7abc-9def-0123456789ab',
      createdAt,
      number,
      createdAt + number,
      ...dismissal,
    ];
  });
  await database.sqlite.rows({
    sql: `insert into agent_errors values (${Array(14).fill('?').join(', ')})`,
    rows,
  });
}

const columns =
  sql.raw(`agent_id, id, project_id, error, epoch, config_id, created_at, occurrences, last_seen_at,
  dismissed_at, dismiss_reason, dismissed_by_kind, dismissed_by_id`);

async function readAll(): Promise<{ readonly id: string }[]> {
  return (await sql<{ id: string }>`select ${columns} from agent_errors order by id`.execute(database.read))
    .rows;
}

describe('the migration to compact errors', () => {
  it('keeps every error as it was, with its id', async () => {
    const before = await readAll();
    expect(before).toHaveLength(oldIDs.length);
    await migrate(database);
    expect(await readAll()).toEqual(before);
    const store = createSqliteAgentErrorStore(database);
    const found = await Promise.all(oldIDs.toSorted().map((id) => store.find(id)));
    expect(found).toMatchObject(before);
  });

  it('keeps the order of lists, page by page', async () => {
    await migrate(database);
    const store = createSqliteAgentErrorStore(database);
    for (const [index, agentID] of agentIDs.entries()) {
      const ids: string[] = [];
      for (let before: string | undefined; ; before = ids.at(-1)) {
        const page = await store.listOfAgent(agentID, { dismissed: undefined }, { limit: 3, before });
        ids.push(...page.slice(0, 3).map(({ id }) => id));
        if (page.length <= 3) break;
      }
      expect(ids.toSorted()).toEqual(oldIDs.filter((_, number) => number % 3 === index).toSorted());
    }
  });

  it('gives the next free id to an error whose place and the seven behind it are taken', async () => {
    // Twice twenty errors of one millisecond, as two processes have made them between which the clock was put back.
    const burst = Array.from({ length: 40 }, (_, number) => {
      const [sequence, run] = [number % 20, number < 20 ? 'a' : 'b'];
      const bits = (sequence * 4).toString(16).padStart(2, '0');
      return `019b76de-0000-7000-8000-${bits}00000000${run}0`;
    });
    await insertOld(burst, 1_000);
    const before = await readAll();
    await migrate(database);
    const after = await readAll();
    // Of the second twenty, the last four are moved, and the others follow them.
    const idOf = (sequence: number) => `019b76de-0000-7000-8000-${(sequence * 4).toString(16)}00000000b0`;
    expect(after.slice(-16)).toEqual(
      burst
        .slice(20, 36)
        .map((id, index) => ({ ...before.find((row) => row.id === id), id: idOf(24 + index) })),
    );
    expect(after.slice(0, -16)).toEqual(before.filter(({ id }) => !burst.slice(20, 36).includes(id)));
  });

  it('goes on where it was stopped', async () => {
    const before = await readAll();
    const stop = new Error('stopped');
    const copying = copyErrorsAhead(
      database.write,
      ({ done }) => {
        if (done >= 40) throw stop;
      },
      20,
    );
    await expect(copying).rejects.toBe(stop);
    await database.close();
    database = await openSqlite(directory);
    const progress: number[] = [];
    await copyErrorsAhead(database.write, ({ done }) => progress.push(done), 20);
    expect(progress).toEqual([40, 60, 80, 100, 110]);
    await migrate(database);
    expect(await readAll()).toEqual(before);
  });

  it.each([
    [
      'dismissed an error',
      `update agent_errors set dismissed_at = 7, dismissed_by_kind = 'user' where id = '${oldIDs[1]}'`,
    ],
    ['removed an error', `delete from agent_errors where id = '${oldIDs[1]}'`],
  ])('begins anew where an older version has %s meanwhile', async (_, change) => {
    const stop = new Error('stopped');
    const copying = copyErrorsAhead(
      database.write,
      ({ done }) => {
        if (done >= 40) throw stop;
      },
      20,
    );
    await expect(copying).rejects.toBe(stop);
    await sql.raw(change).execute(database.write);
    await insertOld(['019b76dd-0000-7000-8000-000000000000']);
    const before = await readAll();
    const progress: number[] = [];
    const notices: string[] = [];
    await migrate(database, {
      onProgress: ({ done }) => progress.push(done),
      onNotice: (notice) => notices.push(notice),
    });
    expect(progress[0]).toBe(0);
    expect(notices).toEqual([
      expect.stringMatching(
        /^This version rewrites the stored errors once, which needs up to 0\.1 GB of free disk in .*muster-compact-\w+; \d+\.\d GB are free\.$/,
      ),
    ]);
    expect(await readAll()).toEqual(before);
  });

  it('leaves nothing of its own behind', async () => {
    await migrate(database);
    const { rows } = await sql<{ name: string }>`
      select name from sqlite_schema where name like '%compact%' or type = 'trigger' and tbl_name = 'agent_errors'`.execute(
      database.read,
    );
    expect(rows).toEqual([]);
    expect((await sql`pragma integrity_check`.execute(database.read)).rows).toEqual([
      { integrity_check: 'ok' },
    ]);
    expect((await sql`pragma foreign_key_check`.execute(database.read)).rows).toEqual([]);
  });

  it('that was stopped needs room for the rest only, and says that what it has copied is kept', async () => {
    await insertOld(
      Array.from({ length: 3_000 }, (_, number) => `019b76dd-${1_000 + number}-7000-8000-000000000000`),
      1_000,
    );
    const usedBytes = () =>
      ['', '-wal'].reduce((sum, name) => sum + statSync(join(directory, `muster.db${name}`)).size, 0);
    const checkpoint = sql`pragma wal_checkpoint(passive)`;
    await checkpoint.execute(database.write);
    const atFirst = await requireRoomForRewrite(database, () => 1e9);
    const [before, stop] = [usedBytes(), new Error('stopped')];
    const copying = copyErrorsAhead(
      database.write,
      ({ done }) => {
        if (done >= 2_400) throw stop;
      },
      400,
    );
    await expect(copying).rejects.toBe(stop);
    await checkpoint.execute(database.write);
    const taken = usedBytes() - before;
    expect(taken).toBeGreaterThan(0);
    const { neededBytes } = await requireRoomForRewrite(database, () => atFirst.neededBytes - taken);
    expect(neededBytes).toBeLessThan(atFirst.neededBytes);
    await expect(requireRoomForRewrite(database, () => 1)).rejects.toThrow(
      'and 0.0 GB are free. What was rewritten before is kept: free some space',
    );
  });

  it('says how much room it needs before it begins', async () => {
    await expect(requireRoomForRewrite(database, () => 1_000_000)).rejects.toThrow(
      /^This version rewrites the stored errors once, which needs 0\.1 GB of free disk in .*muster-compact-\w+, and 0\.0 GB are free\. Nothing was changed: free some space and start Muster again, or continue with the previous version\.$/,
    );
    await expect(requireRoomForRewrite(database, () => 1e9)).resolves.toEqual({
      directory: expect.any(String),
      neededBytes: expect.any(Number),
      freeBytes: 1e9,
    });
  });
});
