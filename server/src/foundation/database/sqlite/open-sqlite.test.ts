import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SqliteDatabase } from '../database.ts';
import { openSqlite, sqliteFileName } from './open-sqlite.ts';
import type { StatementRunner } from './sqlite-messages.ts';

let parent: string;
let directory: string;
const opened: SqliteDatabase[] = [];

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'muster-test-'));
  directory = join(parent, 'data', 'deep');
});

afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  rmSync(parent, { recursive: true });
});

async function open(): Promise<SqliteDatabase> {
  const database = await openSqlite(directory);
  opened.push(database);
  return database;
}

async function pragma(thread: StatementRunner, name: string): Promise<unknown> {
  const { rows } = await thread.execute({ sql: `pragma ${name}`, parameters: [] });
  return Object.values(rows[0] ?? {})[0];
}

const inUse = () =>
  `${directory} is in use by another Muster process. Stop that one, choose another MUSTER_DATA_DIR, or run several on PostgreSQL with DATABASE_URL.`;

describe('openSqlite', () => {
  it('creates a directory that nobody else may read, with the database in it', async () => {
    await open();
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, sqliteFileName)).isFile()).toBe(true);
  });

  it('syncs each commit to the disk before it is acknowledged: WAL with synchronous=FULL', async () => {
    const { sqlite } = await open();
    for (const thread of [sqlite.writer, sqlite.reader]) {
      expect(await pragma(thread, 'journal_mode')).toBe('wal');
      expect(await pragma(thread, 'synchronous')).toBe(2);
    }
  });

  it('checks foreign keys, waits for locks of other programs, and opens readers read-only', async () => {
    const { sqlite } = await open();
    for (const thread of [sqlite.writer, sqlite.reader]) {
      expect(await pragma(thread, 'foreign_keys')).toBe(1);
      expect(await pragma(thread, 'busy_timeout')).toBe(5_000);
    }
    expect(await pragma(sqlite.reader, 'query_only')).toBe(1);
    expect(await pragma(sqlite.writer, 'query_only')).toBe(0);
  });

  it('refuses a directory that is open, and accepts it once it is closed', async () => {
    const first = await open();
    await expect(openSqlite(directory)).rejects.toThrow(inUse());
    await first.check();
    await first.close();
    opened.splice(0);
    await (await open()).check();
  });

  it('releases the directory if the database cannot be opened', async () => {
    const database = await open();
    await database.close();
    opened.splice(0);
    const file = join(directory, sqliteFileName);
    rmSync(file);
    writeFileSync(file, 'this is no database, and long enough to be taken for one'.repeat(100));
    await expect(openSqlite(directory)).rejects.toThrow(
      `${file} cannot be opened: file is not a database. The file is damaged or is not a Muster database: stop Muster, keep a copy of the data directory, and restore a backup.`,
    );
    for (const name of [sqliteFileName, 'muster.lock']) rmSync(join(directory, name));
    await (await open()).check();
  });

  it('rolls back a transaction that fails in the middle, and continues', async () => {
    const { write, read, sqlite } = await open();
    await sqlite.writer.execute({
      sql: 'create table projects (id text primary key) strict',
      parameters: [],
    });
    const insert = (id: string) => write.insertInto('projects').values({ id } as never); // a table of the test's own
    const failing = write.transaction().execute(async (trx) => {
      await trx
        .insertInto('projects')
        .values({ id: 'a' } as never)
        .execute(); // as above
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    await insert('b').execute();
    expect(await read.selectFrom('projects').select('id').execute()).toEqual([{ id: 'b' }]);
  });
});

describe('check', () => {
  it('rejects once the database is closed', async () => {
    const database = await open();
    await database.check();
    await database.close();
    opened.splice(0);
    await expect(database.check()).rejects.toThrow('the database thread has ended');
  });
});
