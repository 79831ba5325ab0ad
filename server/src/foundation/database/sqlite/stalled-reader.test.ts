import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadSqliteDriver } from './load-driver.ts';
import { isSqliteUnavailable } from './sqlite-failures.ts';
import { SqliteThreads } from './sqlite-threads.ts';

const { DatabaseSync } = loadSqliteDriver();
const silence = 'the disk with the data directory does not answer: it hangs, or is far too busy';

let directory: string;
let threads: SqliteThreads;
/** Another connection. While it holds the lock, a reader that needs it waits like for a hanging disk. */
let outside: InstanceType<typeof DatabaseSync>;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const file = join(directory, 'muster.db');
  threads = await SqliteThreads.open(file);
  await threads.writer.execute({ sql: 'create table notes (text text) strict', parameters: [] });
  await read('pragma query_only = off');
  await read('pragma busy_timeout = 60000');
  outside = new DatabaseSync(file);
  outside.exec('begin immediate');
  // The test decides when the limit on a wait is reached. The threads have their own clock.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(async () => {
  vi.useRealTimers();
  outside.close();
  await threads.close();
  rmSync(directory, { recursive: true });
});

function read(sql: string) {
  return threads.reader.execute({ sql, parameters: [] });
}

/** The error of a rejection. */
function failure(waiting: Promise<unknown>): Promise<unknown> {
  return waiting.then(
    () => 'it was done',
    (error: unknown) => error,
  );
}

/** A statement that cannot finish while another connection writes. Returns its failure in an array. */
const hang = (): [Promise<unknown>] => [failure(read("insert into notes values ('hung')"))];

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

async function untilDone(work: () => Promise<unknown>): Promise<void> {
  while ((await failure(work())) !== 'it was done') await new Promise((resolve) => setImmediate(resolve));
}

describe('a reader whose disk hangs', () => {
  it('rejects waiting requests after 10 s, and new ones at once', async () => {
    const [first] = hang();
    const second = failure(read('select 1'));
    await pass(9_500);
    const late = failure(read('select 1'));
    await pass(500);
    for (const waiting of [first, second, late]) {
      const error = await waiting;
      expect(error).toMatchObject({ message: silence });
      expect(isSqliteUnavailable(error)).toBe(true);
    }
    await expect(read('select 1')).rejects.toThrow(silence);
    await expect(threads.check()).rejects.toThrow(silence);
    outside.exec('rollback');
  });

  it('continues when the disk does, and skips abandoned requests', async () => {
    const waiting = [...hang(), failure(read("insert into notes values ('abandoned')"))];
    await pass(10_000);
    expect(await Promise.all(waiting)).toMatchObject([{ message: silence }, { message: silence }]);
    outside.exec('rollback');
    await untilDone(() => threads.check());
    expect((await read("select text from notes where text = 'abandoned'")).rows).toEqual([]);
    // Nothing waits, so nothing is timed any more.
    while (vi.getTimerCount() > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('accepts a thousand waiting requests, and refuses the next at once', async () => {
    const [begun] = hang();
    await pass(1_000);
    const waiting = Array.from({ length: 999 }, () => failure(read('select 1')));
    const error = await failure(read('select 1'));
    expect(error).toMatchObject({
      message: 'too many reads wait for a slow read, or for a disk that does not answer',
    });
    expect(isSqliteUnavailable(error)).toBe(true);
    outside.exec('rollback');
    expect(await Promise.all([begun, ...waiting])).toEqual(
      Array.from({ length: 1_000 }, () => 'it was done'),
    );
  });
});

describe('a reader that answers too slowly for all waiting requests', () => {
  it('rejects only requests that have waited for 10 s', async () => {
    await read('pragma busy_timeout = 200');
    const [first] = hang();
    const setting = read('pragma busy_timeout = 60000');
    const [second] = hang();
    await pass(6_000);
    expect(await first).toMatchObject({ message: expect.stringContaining('database is locked') });
    await setting;
    const later = failure(read('select 1'));
    await pass(4_000);
    expect(await second).toMatchObject({ message: expect.stringContaining('the read takes more than 10 s') });
    outside.exec('rollback');
    expect(await later).toBe('it was done');
    await threads.check();
  });
});
