import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadSqliteDriver } from './load-driver.ts';
import { SqliteReaders } from './sqlite-readers.ts';
import { SqliteThread } from './sqlite-thread-handle.ts';
import { SqliteThreads } from './sqlite-threads.ts';
import { ThreadActivity } from './thread-activity.ts';

const { DatabaseSync } = loadSqliteDriver();

let directory: string;
let file: string;
let threads: SqliteThreads;
/** Somebody from outside. While it holds the lock, a reader that wants it too takes long. */
let outside: InstanceType<typeof DatabaseSync>;
let readers: SqliteReaders;
/** What the next threads open; then the database. */
let files: string[];
let started: number;
let fatal: Error[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  file = join(directory, 'muster.db');
  threads = await SqliteThreads.open(file);
  await threads.writer.execute({ sql: 'create table notes (text text) strict', parameters: [] });
  outside = new DatabaseSync(file);
  outside.exec('begin immediate');
  files = [];
  started = 0;
  fatal = [];
  readers = new SqliteReaders(startReader, (error) => fatal.push(error));
  vi.spyOn(ThreadActivity.prototype, 'look').mockReturnValue(true);
  // Half a second passes when a test says so. The threads have a clock of their own.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  outside.close();
  await readers.close();
  await threads.close();
  rmSync(directory, { recursive: true });
});

/** Without an end to what is waited for, and able to ask for the lock of a writer. */
function startReader(): SqliteThread {
  started += 1;
  const reader = new SqliteThread({
    file: files.shift() ?? file,
    mode: 'read',
    longestWaitMilliseconds: 3_600_000,
  });
  for (const sql of ['pragma query_only = off', 'pragma busy_timeout = 60000'])
    reader.execute({ sql, parameters: [] }).catch(() => undefined);
  return reader;
}

/** Takes until the lock is given back. Each text is a statement of its own. */
const long = (text: string) => read(`insert into notes values ('${text}')`);

/** What comes out of a read; undefined until then. */
interface Reading {
  outcome?: unknown;
}

function watch(work: Promise<unknown>): Reading {
  const reading: Reading = {};
  work.then(
    (output) => {
      reading.outcome = output;
    },
    (error: unknown) => {
      reading.outcome = error;
    },
  );
  return reading;
}

const read = (sql: string) => watch(readers.execute({ sql, parameters: [] }));

async function untilOver(reading: Reading): Promise<unknown> {
  while (reading.outcome === undefined) {
    await vi.advanceTimersByTimeAsync(500);
    // Time passes some times as fast as on the clock of the threads.
    await pause(20);
  }
  return reading.outcome;
}

const done = { rows: [], changes: 1 };
const one = { rows: [{ one: 1 }], changes: 0 };
const quick = () => read('select 1 as one');

describe('readers', () => {
  it('are one thread, as long as nothing takes long', async () => {
    await Promise.all(
      Array.from({ length: 100 }, () => readers.execute({ sql: 'select 1', parameters: [] })),
    );
    expect(started).toBe(1);
  });

  it('leave a thread to what takes long on it and to its like, and read all else on another', async () => {
    const first = long('a');
    expect(await untilOver(quick())).toEqual(one);
    const like = long('a');
    expect(await untilOver(quick())).toEqual(one);
    expect([first, like]).toEqual([{}, {}]);
    outside.exec('rollback');
    expect([await untilOver(first), await untilOver(like)]).toEqual([done, done]);
  });

  it('see that a thread computes by what the system counts of it', async () => {
    vi.restoreAllMocks();
    const counting = read(
      'with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000000) select max(i) as most from n',
    );
    expect(await untilOver(quick())).toEqual(one);
    expect(counting).toEqual({});
    expect(await untilOver(counting)).toEqual({ rows: [{ most: 5_000_000 }], changes: 0 });
  });

  it('use the same threads again and again', async () => {
    for (const text of ['a', 'b', 'c', 'd', 'e']) {
      const reading = long(text);
      await untilOver(quick());
      expect(reading).toEqual({});
      outside.exec('rollback');
      expect(await untilOver(reading)).toEqual(done);
      outside.exec('begin immediate');
    }
    expect(started).toBeLessThanOrEqual(3);
  });

  it('are three at most; a check finds them at work, although nothing else is read meanwhile', async () => {
    const readings = [long('a')];
    await untilOver(quick());
    readings.push(long('b'));
    await untilOver(quick());
    readings.push(long('c'), quick());
    const checking = watch(readers.check().then(() => 'at work'));
    expect(await untilOver(checking)).toBe('at work');
    expect(readings).toEqual([{}, {}, {}, {}]);
    expect(started).toBe(3);
    outside.exec('rollback');
    expect(await Promise.all(readings.map(untilOver))).toEqual([done, done, done, one]);
  });

  it('go on where another thread does not come up, and start one again when they need it', async () => {
    files = [join(directory, 'missing', 'muster.db')];
    const first = long('a');
    expect(await untilOver(quick())).toMatchObject({ message: 'the database thread has ended' });
    expect(await untilOver(quick())).toEqual(one);
    expect(first).toEqual({});
    expect(fatal).toEqual([]);
  });
});
