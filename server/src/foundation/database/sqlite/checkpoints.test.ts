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

/** A commit of about ten pages. */
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
  it('stays below its limit for any amount of writes', async () => {
    let largest = 0;
    for (let commit = 0; commit < 300; commit += 1) {
      await Promise.all([write(), write(), write()]);
      largest = Math.max(largest, statSync(`${file}-wal`).size);
    }
    expect(statSync(file).size).toBeGreaterThan(20 * megabyte);
    // Writes that already waited for their turn when the limit was reached run before the checkpoint.
    expect(largest).toBeLessThan(1.5 * megabyte);
    expect(notices).toEqual([]);
    expect(countIn(file)).toBe(9_000);
  });

  it('grows while another program reads the database, and is emptied and truncated afterwards', async () => {
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

  it('has everything that is not in the database yet, at any moment at which the process ends', async () => {
    const copies: [string, number][] = [];
    for (let commit = 1; commit <= 60; commit += 1) {
      await write();
      if (commit % 6 > 0) continue;
      // Like after a kill. The log is copied first, because a checkpoint may change the database file meanwhile.
      const endTurn = await threads.takeWriteTurn();
      const copy = join(directory, `${commit}.db`);
      cpSync(`${file}-wal`, `${copy}-wal`);
      cpSync(file, copy);
      copies.push([copy, commit * 10]);
      endTurn();
    }
    expect(copies.map(([copy]) => countIn(copy))).toEqual(copies.map(([, count]) => count));
  });

  it('does not block a stop: a checkpoint under way ends first', async () => {
    const writes = Array.from({ length: 60 }, write);
    await Promise.all(writes);
    await threads.close();
    expect(countIn(file)).toBe(600);
    threads = await SqliteThreads.open(file, () => undefined, 1);
  });
});

describe('checkpoints', () => {
  /** A log with the given number of frames, whose checkpoints the test completes. */
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

  it('begin when there is enough to move, and end with newer frames in a write turn of their own', async () => {
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

  it('move more frames concurrently with writers if many arrived meanwhile', async () => {
    const { write, answer, asked, turns } = setUp();
    await write(100);
    await write(150);
    await answer(100);
    expect([asked, turns]).toEqual([['passive', 'passive'], []]);
  });

  it('stop the writers at the limit, even during the first part', async () => {
    const { write, answer, turns } = setUp();
    await write(100);
    await write(200);
    expect(turns).toEqual(['taken']);
    await answer(100);
    await answer(200);
    expect(turns).toEqual(['taken', 'ended']);
  });

  it('do not begin on a log that is completely in the database, because it may restart at any moment', async () => {
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

  it('slow the writers down while a reader keeps the log from restarting, and try again', async () => {
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

  it('report once that a reader keeps the log above its limit, until it was emptied', async () => {
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
      'The write-ahead log of the embedded database has 1 MiB, which exceeds MUSTER_MAX_LOG_MEGABYTES, and cannot be emptied: another program has been reading the database for some time. Find and stop it. Until then, writes are slowed down and the log grows. Nothing is lost.',
    ]);
    await write(1);
    await hold(200);
    expect(notices).toHaveLength(2);
  });

  it('report with the reason that the disk keeps the log above its limit', async () => {
    const { write, answer, notices } = setUp();
    await write(200);
    for (let tries = 0; tries < 4; tries += 1) await answer(-1);
    expect(notices).toEqual([
      expect.stringContaining(
        'cannot be emptied: the last attempt failed or has not ended (disk I/O error). Look at the disk. Until',
      ),
    ]);
  });

  it('return the turn to the writers on a slow disk, and start no other checkpoint until they have ended', async () => {
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

  it('are repeated after a failure of the disk', async () => {
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
