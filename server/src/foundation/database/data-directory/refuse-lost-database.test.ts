import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SqliteDatabase } from '../database.ts';
import { openSqlite } from '../sqlite/open-sqlite.ts';

const rowCount = 2_000;

let parent: string;
let directory: string;
let opened: SqliteDatabase | undefined;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'muster-test-'));
  directory = join(parent, 'data');
});

afterEach(async () => {
  await close();
  rmSync(parent, { recursive: true });
});

async function open(where = directory): Promise<SqliteDatabase> {
  opened = await openSqlite(where);
  return opened;
}

async function close(): Promise<void> {
  await opened?.close();
  opened = undefined;
}

const path = (name: string) => join(directory, name);

async function countNotes({ read }: SqliteDatabase): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from notes`.execute(read);
  return rows[0]?.total ?? 0;
}

async function storeNotes({ write }: SqliteDatabase): Promise<void> {
  await sql`create table notes (id integer primary key, text text) strict`.execute(write);
  await sql`insert into notes select value, printf('%.200c', 'x') from json_each(${JSON.stringify(Array.from({ length: rowCount }, (_, index) => index))})`.execute(
    write,
  );
}

/** Creates an installation and stops it. */
async function makeInstallation(): Promise<void> {
  await storeNotes(await open());
  await close();
}

/** Creates an installation whose process was killed, with the database and its log. */
async function makeKilledInstallation(hasCheckpoint: boolean): Promise<void> {
  const running = join(parent, 'running');
  const database = await open(running);
  await storeNotes(database);
  if (hasCheckpoint) await sql`pragma wal_checkpoint(full)`.execute(database.write);
  await sql`insert into notes values (${rowCount}, 'after it')`.execute(database.write);
  cpSync(running, directory, { recursive: true });
  // The lock of an older version has no note.
  rmSync(path('muster.lock'));
  await close();
}

const lost = (state: string, trace: string) =>
  `${path('muster.db')} is ${state}, but an installation of Muster was in this directory: ${trace}. Something has removed or emptied the database, such as a copy or a restore that broke off. Muster does not start with a new one, because that would destroy what is left. Put a copy of ${directory} aside, then put muster.db back or restore a backup. If the installation uses PostgreSQL, set DATABASE_URL. To begin anew, name an empty directory with MUSTER_DATA_DIR.`;

describe('a lost database', () => {
  it.each([
    ['missing', () => rmSync(path('muster.db'))],
    ['empty (0 bytes)', () => truncateSync(path('muster.db'), 0)],
    ['cut off (511 bytes)', () => truncateSync(path('muster.db'), 511)],
  ])('%s: is not taken for a first start', async (state, lose) => {
    await makeInstallation();
    lose();
    await expect(open()).rejects.toThrow(lost(state, 'muster.lock says so'));
    rmSync(path('muster.lock'));
    writeFileSync(path('admin-token'), 'of the first start\n');
    await expect(open()).rejects.toThrow(lost(state, 'admin-token is still there'));
  });

  it.each([
    ['missing', () => rmSync(path('muster.db'))],
    ['empty (0 bytes)', () => truncateSync(path('muster.db'), 0)],
  ])('%s: beside a log, leaves the log as it is', async (state, lose) => {
    await makeKilledInstallation(false);
    const log = readFileSync(path('muster.db-wal'));
    lose();
    await expect(open()).rejects.toThrow(lost(state, 'muster.db-wal is still there'));
    expect(readFileSync(path('muster.db-wal')).equals(log)).toBe(true);
  });

  it('is used again after it was put back', async () => {
    await makeInstallation();
    const backup = readFileSync(path('muster.db'));
    truncateSync(path('muster.db'), 0);
    await expect(open()).rejects.toThrow('muster.db is empty');
    writeFileSync(path('muster.db'), backup);
    expect(await countNotes(await open())).toBe(rowCount);
  });

  it('is not assumed if the first start ended before it created a database', async () => {
    await open();
    await close();
    for (const name of ['muster.db', 'muster.lock']) rmSync(path(name));
    for (const name of ['muster.db', 'muster.lock']) writeFileSync(path(name), '');
    await (await open()).check();
  });
});

describe('a truncated database', () => {
  const malformed = 'cannot be opened: database disk image is malformed';
  const advice =
    'The file is damaged or is not a Muster database: stop Muster, keep a copy of the data directory, and restore a backup.';

  it.each([512, 4_096, 100_000])(
    'after %i bytes is refused, and the rest of the file is not changed',
    async (size) => {
      await makeInstallation();
      truncateSync(path('muster.db'), size);
      const left = readFileSync(path('muster.db'));
      await expect(open()).rejects.toThrow(advice);
      expect(readFileSync(path('muster.db')).equals(left)).toBe(true);
    },
  );

  it('is refused if the log does not contain the missing pages', async () => {
    await makeKilledInstallation(true);
    const pages = statSync(path('muster.db')).size / 4_096;
    truncateSync(path('muster.db'), 100_000);
    const left = readFileSync(path('muster.db'));
    const missing = pages - Math.floor(100_000 / 4_096);
    await expect(open()).rejects.toThrow(
      new RegExp(
        `${malformed}: the file was cut off, (${missing}|${missing - 1}) of its ${pages} pages are missing`,
      ),
    );
    expect(readFileSync(path('muster.db')).equals(left)).toBe(true);
  });

  it('is complete if the log contains the missing pages, as after a kill before the first checkpoint', async () => {
    await makeKilledInstallation(false);
    expect(statSync(path('muster.db')).size).toBeLessThan(statSync(path('muster.db-wal')).size);
    expect(await countNotes(await open())).toBe(rowCount + 1);
  });
});
