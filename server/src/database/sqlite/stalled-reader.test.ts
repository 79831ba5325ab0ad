import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadSqliteDriver } from './load-driver.ts';
import { isSqliteUnavailable } from './sqlite-failures.ts';
import { SqliteThreads } from './sqlite-threads.ts';
import { ThreadActivity } from './thread-activity.ts';
import { ThreadControl } from './thread-control.ts';

const { DatabaseSync } = loadSqliteDriver();
const silence = 'the disk that holds the data directory does not answer: it hangs, or is far too busy';

let directory: string;
let threads: SqliteThreads;
/** Somebody from outside. While it holds the lock, a reader that wants it too waits as it would for a disk. */
let outside: InstanceType<typeof DatabaseSync>;
/** Tells what the reader has begun. */
let control: ThreadControl;
/** What the system says of the reader: it does something, nothing, or the system does not tell. */
let isAtWork: boolean | undefined;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const file = join(directory, 'muster.db');
  const memories = vi.spyOn(ThreadControl.prototype, 'memory', 'get');
  threads = await SqliteThreads.open(file);
  control = new ThreadControl(memories.mock.results.at(-1)?.value);
  await threads.writer.execute({ sql: 'create table notes (text text) strict', parameters: [] });
  await read('pragma query_only = off');
  await read('pragma busy_timeout = 60000');
  outside = new DatabaseSync(file);
  outside.exec('begin immediate');
  isAtWork = false;
  vi.spyOn(ThreadActivity.prototype, 'look').mockImplementation(() => isAtWork);
  // The limit on a wait is reached when a test says so. The threads have a clock of their own.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  outside.close();
  await threads.close();
  rmSync(directory, { recursive: true });
});

function read(sql: string) {
  return threads.reader.execute({ sql, parameters: [] });
}

/** What it rejects with. */
function failure(waiting: Promise<unknown>): Promise<unknown> {
  return waiting.then(
    () => 'it was done',
    (error: unknown) => error,
  );
}

/** A statement that has begun and cannot be finished while somebody else writes. Answers its failure in a list. */
async function hang(): Promise<[Promise<unknown>]> {
  const before = control.lastBegun;
  const failing = failure(read('begin immediate'));
  while (control.lastBegun === before) await new Promise((resolve) => setImmediate(resolve));
  return [failing];
}

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

async function untilDone(work: () => Promise<unknown>): Promise<void> {
  while ((await failure(work())) !== 'it was done') await new Promise((resolve) => setImmediate(resolve));
}

describe('a reader whose disk hangs', () => {
  it.each([
    ['stands still', false],
    ['may do anything, where the system does not tell', undefined],
  ])('that %s rejects who waits after 10 s, and who comes at once', async (_, seen) => {
    isAtWork = seen;
    const [first] = await hang();
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

  it('goes on when the disk does, and runs nothing that nobody waits for any more', async () => {
    const waiting = [...(await hang()), failure(read("insert into notes values ('abandoned')"))];
    await pass(10_000);
    expect(await Promise.all(waiting)).toMatchObject([{ message: silence }, { message: silence }]);
    outside.exec('rollback');
    await untilDone(() => threads.check());
    expect((await read('select text from notes')).rows).toEqual([]);
    await read('rollback');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('goes on when it is seen at work, although what it began is not finished', async () => {
    const [begun] = await hang();
    await pass(10_000);
    expect(await begun).toMatchObject({ message: silence });
    isAtWork = true;
    await pass(500);
    isAtWork = undefined;
    const later = read('select 1 as one');
    outside.exec('rollback');
    expect((await later).rows).toEqual([{ one: 1 }]);
    await read('rollback');
  });

  it('takes a thousand that wait, and refuses the next at once', async () => {
    const [begun] = await hang();
    await pass(1_000);
    const waiting = Array.from({ length: 999 }, () => failure(read('select 1')));
    const error = await failure(read('select 1'));
    expect(error).toMatchObject({
      message: 'too many reads wait for one that takes too long, or for a disk that does not answer',
    });
    expect(isSqliteUnavailable(error)).toBe(true);
    outside.exec('rollback');
    expect(await Promise.all([begun, ...waiting])).toEqual(
      Array.from({ length: 1_000 }, () => 'it was done'),
    );
    await read('rollback');
  });
});

describe('a reader that is at work for longer than 10 s', () => {
  it('rejects who has waited for so long, and nobody else', async () => {
    isAtWork = true;
    const [begun] = await hang();
    await pass(9_500);
    const later = failure(read('select 1'));
    await pass(500);
    expect(await begun).toMatchObject({ message: expect.stringContaining('the read takes too long') });
    expect(await later).toBe('it was done');
    await threads.check();
    outside.exec('rollback');
  });
});
