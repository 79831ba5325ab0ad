import { cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Checkpoints, checkpointLimitsOf } from './checkpoints.ts';
import { loadSqliteDriver } from './load-driver.ts';
import type { SqliteRow, SqliteStatement } from './sqlite-messages.ts';
import { SqliteThreads } from './sqlite-threads.ts';

const megabyte = 1024 * 1024;

let directory: string;
let file: string;
let threads: SqliteThreads;
let notices: string[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'muster-checkpoints-'));
  file = join(directory, 'muster.db');
  notices = [];
  threads = await SqliteThreads.open(
    file,
    () => undefined,
    1,
    (notice) => notices.push(notice),
  );
  await threads.rows({ sql: 'create table texts (number integer primary key, text text)', rows: [[]] });
});

afterEach(async () => {
  await threads.close();
  rmSync(directory, { recursive: true });
});

/** A commit of some ten pages. */
async function write(): Promise<void> {
  await threads.rows({
    sql: 'insert into texts (text) values (?)',
    rows: Array.from({ length: 10 }, () => ['x'.repeat(3_500)]),
  });
}

function countIn(database: string): unknown {
  const { DatabaseSync } = loadSqliteDriver();
  const connection = new DatabaseSync(database);
  const row = connection.prepare('select count(*) as count from texts').get() as SqliteRow; // one named column
  connection.close();
  return row.count;
}

describe('the log of the embedded database', () => {
  it('stays below its limit, however much is written', async () => {
    let largest = 0;
    for (let commit = 0; commit < 300; commit += 1) {
      await Promise.all([write(), write(), write()]);
      largest = Math.max(largest, statSync(`${file}-wal`).size);
    }
    expect(statSync(file).size).toBeGreaterThan(20 * megabyte);
    // What waited for its turn already when the limit was reached comes before the checkpoint.
    expect(largest).toBeLessThan(1.5 * megabyte);
    expect(notices).toEqual([]);
    expect(countIn(file)).toBe(9_000);
  });

  it('grows while somebody reads the database, and is emptied and cut when that is over', async () => {
    const { DatabaseSync } = loadSqliteDriver();
    const reader = new DatabaseSync(file);
    reader.exec('begin');
    reader.prepare('select count(*) from texts').get();
    for (let commit = 0; commit < 40; commit += 1) await write();
    expect(threads.writer.logFrames * 4_096).toBeGreaterThan(1.2 * megabyte);
    expect(reader.prepare('select count(*) as count from texts').get()).toMatchObject({ count: 0 });
    expect(notices).toEqual([expect.stringContaining('another program has been reading the database')]);
    reader.exec('commit');
    reader.close();
    for (let commit = 0; commit < 40; commit += 1) await write();
    expect(threads.writer.logFrames * 4_096).toBeLessThan(megabyte);
    expect(statSync(`${file}-wal`).size).toBeLessThanOrEqual(1.1 * megabyte);
    expect(countIn(file)).toBe(800);
  });

  it('has all that is not in the database yet, at whatever moment the process ends', async () => {
    const copies: [string, number][] = [];
    for (let commit = 1; commit <= 60; commit += 1) {
      await write();
      if (commit % 6 > 0) continue;
      // As a process that is killed leaves them: the log first, since a checkpoint changes the file meanwhile.
      const endTurn = await threads.takeWriteTurn();
      const copy = join(directory, `${commit}.db`);
      cpSync(`${file}-wal`, `${copy}-wal`);
      cpSync(file, copy);
      copies.push([copy, commit * 10]);
      endTurn();
    }
    expect(copies.map(([copy]) => countIn(copy))).toEqual(copies.map(([, count]) => count));
  });

  it('is nothing that a stop waits for in vain: a checkpoint under way ends first', async () => {
    const writes = Array.from({ length: 60 }, write);
    await Promise.all(writes);
    await threads.close();
    expect(countIn(file)).toBe(600);
    threads = await SqliteThreads.open(file, () => undefined, 1);
  });
});

describe('checkpoints', () => {
  /** A log of so many frames, whose checkpoints are answered by the test. */
  function setUp(limits = { startFrames: 100, maxFrames: 200 }) {
    let frames = 0;
    const asked: string[] = [];
    const answers: ((checkpointed: number, busy?: number) => void)[] = [];
    const turns: string[] = [];
    const notices: string[] = [];
    const checkpoints = new Checkpoints({
      limits,
      onNotice: (notice) => notices.push(notice),
      logFrames: () => frames,
      checkpointer: {
        execute({ sql }: SqliteStatement) {
          asked.push(/\((\w+)\)/.exec(sql)?.[1] ?? sql);
          return new Promise((resolve, reject) => {
            answers.push((checkpointed, busy = 0) =>
              checkpointed < 0
                ? reject(new Error('disk I/O error'))
                : resolve({ rows: [{ busy, log: frames, checkpointed }], changes: 0 }),
            );
          });
        },
      },
      async takeWriteTurn() {
        turns.push('taken');
        return () => turns.push('ended');
      },
    });
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    return {
      checkpoints,
      asked,
      turns,
      notices,
      async write(total: number) {
        frames = total;
        checkpoints.look();
        await settle();
      },
      async answer(checkpointed: number, busy?: number) {
        answers.shift()?.(checkpointed, busy);
        await settle();
      },
    };
  }

  it('begin when there is enough to move, and end in a turn of their own with what came meanwhile', async () => {
    const { write, answer, asked, turns } = setUp();
    await write(99);
    expect(asked).toEqual([]);
    await write(100);
    await write(110);
    expect([asked, turns]).toEqual([['passive'], []]);
    await answer(100);
    expect([asked, turns]).toEqual([['passive', 'restart'], ['taken']]);
    await answer(110);
    expect(turns).toEqual(['taken', 'ended']);
  });

  it('move more beside the writers where much came meanwhile', async () => {
    const { write, answer, asked, turns } = setUp();
    await write(100);
    await write(150);
    await answer(100);
    expect([asked, turns]).toEqual([['passive', 'passive'], []]);
  });

  it('stop the writers at the limit, also while the first part is under way', async () => {
    const { write, answer, turns } = setUp();
    await write(100);
    await write(200);
    expect(turns).toEqual(['taken']);
    await answer(100);
    await answer(200);
    expect(turns).toEqual(['taken', 'ended']);
  });

  it('do not begin on a log of which all is in the database: it may begin anew at any moment', async () => {
    const { write, answer, asked } = setUp();
    await write(100);
    await answer(100);
    await answer(100);
    asked.length = 0;
    await write(100);
    expect(asked).toEqual([]);
    await write(10);
    await write(99);
    expect(asked).toEqual([]);
    await write(100);
    expect(asked).toEqual(['passive']);
  });

  it('slow the writers down while a reader keeps the log from beginning anew, and try again', async () => {
    const { checkpoints, write, answer, asked } = setUp();
    await write(190);
    await answer(190);
    await answer(50, 1);
    expect(checkpoints.brakeMilliseconds).toBe(0);
    await write(200);
    expect(checkpoints.brakeMilliseconds).toBeGreaterThan(0);
    asked.length = 0;
    await write(214);
    expect(asked).toEqual([]);
    await write(215);
    expect(asked).toEqual(['passive']);
    await answer(215);
    await answer(215);
    await write(1);
    expect(checkpoints.brakeMilliseconds).toBe(0);
  });

  it('tell of a log above its limit that a reader holds, once until it was emptied', async () => {
    const { write, answer, notices } = setUp();
    const hold = async (total: number) => {
      await write(total);
      await answer(total);
      await answer(50, 1);
    };
    await hold(190);
    expect(notices).toEqual([]);
    await hold(215);
    await hold(240);
    expect(notices).toEqual([
      'The write-ahead log of the embedded database has 1 MiB, which MUSTER_MAX_LOG_MEGABYTES does not allow, and cannot be emptied: another program has been reading the database for some time. Find it and end it. Until then each write is slowed down, and the log grows. Nothing is lost.',
    ]);
    await write(1);
    await hold(200);
    expect(notices).toHaveLength(2);
  });

  it('tell of a log above its limit that the disk does not take, with the reason', async () => {
    const { write, answer, notices } = setUp();
    await write(200);
    for (let tries = 0; tries < 4; tries += 1) await answer(-1);
    expect(notices).toEqual([
      expect.stringContaining(
        'cannot be emptied: the last try failed, or has not ended (disk I/O error). Look at the disk. Until',
      ),
    ]);
  });

  it('give the turn back to the writers on a slow disk, and begin nothing else until they have ended', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { checkpoints, write, answer, asked, turns, notices } = setUp();
    await write(190);
    await write(200);
    await vi.advanceTimersByTimeAsync(5_000);
    vi.useRealTimers();
    expect(turns).toEqual(['taken', 'ended']);
    expect(notices).toEqual([expect.stringContaining('(it takes longer than five seconds)')]);
    await write(400);
    expect(checkpoints.brakeMilliseconds).toBeGreaterThan(0);
    let hasClosed = false;
    const closing = checkpoints.close().then(() => {
      hasClosed = true;
    });
    await write(400);
    expect([asked, hasClosed]).toEqual([['passive'], false]);
    await answer(400);
    await closing;
    expect([asked, turns]).toEqual([['passive'], ['taken', 'ended']]);
  });

  it('are tried again after a failure of the disk', async () => {
    const { write, answer, asked, turns } = setUp();
    await write(100);
    await answer(-1);
    for (let passes = 0; passes < 2; passes += 1) await answer(-1);
    await answer(-1);
    expect(turns).toEqual(['taken', 'ended']);
    asked.length = 0;
    await write(125);
    expect(asked).toEqual(['passive']);
  });

  it('have limits in proportion to the size of the log', () => {
    expect(checkpointLimitsOf(64)).toEqual({ maxFrames: 16_288, startFrames: 8_144 });
    expect(checkpointLimitsOf(1_000)).toMatchObject({ startFrames: 10_000 });
  });
});
