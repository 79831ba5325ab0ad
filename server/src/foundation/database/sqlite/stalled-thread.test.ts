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
/** Another connection. While it holds the lock, the writer waits like for a hanging disk. */
let outside: InstanceType<typeof DatabaseSync>;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const file = join(directory, 'muster.db');
  threads = await SqliteThreads.open(file);
  await threads.writer.execute({ sql: 'create table notes (text text) strict', parameters: [] });
  outside = new DatabaseSync(file);
  outside.exec('begin immediate');
  // The test decides when the limit on silence is reached. The thread has its own clock.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(async () => {
  vi.useRealTimers();
  outside.close();
  await threads.close();
  rmSync(directory, { recursive: true });
});

/** @param send sends the request at which the thread hangs */
async function afterSilence(send: () => Promise<unknown>): Promise<unknown> {
  const { begun } = threads.writer;
  const settled = send().then(
    () => 'it was done',
    (error: unknown) => error,
  );
  while (threads.writer.begun === begun) await new Promise((resolve) => setImmediate(resolve));
  await vi.advanceTimersByTimeAsync(10_000);
  return settled;
}

function insert(text: string): Promise<unknown> {
  return threads.rows({ sql: 'insert into notes (text) values (?)', rows: [[text]] });
}

async function texts(): Promise<unknown[]> {
  const { rows } = await threads.reader.execute({ sql: 'select text from notes', parameters: [] });
  return rows.map(({ text }) => text);
}

async function untilDone(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const isDone = await work().then(
      () => true,
      () => false,
    );
    if (isDone) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a writer whose disk hangs', () => {
  it('rejects waiting and new requests with a database failure, while readers continue', async () => {
    const error = await afterSilence(() => insert('waits'));
    expect(error).toMatchObject({ message: silence });
    expect(isSqliteUnavailable(error)).toBe(true);
    await expect(insert('comes')).rejects.toThrow(silence);
    await expect(threads.check()).rejects.toThrow(silence);
    expect(await texts()).toEqual([]);
  });

  it('continues when the disk does: only the request that it had begun is done', async () => {
    expect(await afterSilence(() => insert('waits'))).toMatchObject({ message: silence });
    await expect(insert('comes')).rejects.toThrow(silence);
    outside.exec('rollback');
    await untilDone(() => threads.check());
    await insert('later');
    expect(await texts()).toEqual(['waits', 'later']);
  });

  it('has done no other request that was rejected, although the thread had it', async () => {
    let others: Promise<PromiseSettledResult<unknown>[]> = Promise.resolve([]);
    const sendAll = () => {
      const first = insert('begun');
      others = Promise.allSettled([insert('not begun'), insert('nor this')]);
      return first;
    };
    expect(await afterSilence(sendAll)).toMatchObject({ message: silence });
    expect((await others).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    outside.exec('rollback');
    await untilDone(() => threads.check());
    await insert('later');
    expect(await texts()).toEqual(['begun', 'later']);
  });

  it('rolls back a transaction whose caller was already rejected', async () => {
    const endTurn = await threads.takeWriteTurn();
    const begin = () => threads.writer.execute({ sql: 'begin immediate', parameters: [] });
    expect(await afterSilence(begin)).toMatchObject({ message: silence });
    endTurn();
    outside.exec('rollback');
    await untilDone(() => insert('later'));
    expect(await texts()).toEqual(['later']);
  });

  it('has no limit for work that may take long', async () => {
    const inserting = threads.writer.withoutTimeLimit(() => insert('a migration'));
    await vi.advanceTimersByTimeAsync(60_000);
    outside.exec('rollback');
    await inserting;
    expect(await texts()).toEqual(['a migration']);
  });
});

describe('check', () => {
  it('writes to check whether a failure is over, without changing data', async () => {
    expect(await afterSilence(() => insert('waits'))).toMatchObject({ message: silence });
    outside.exec('rollback');
    await untilDone(() => threads.check());
    expect(threads.writer.hasFailed).toBe(false);
    const { rows } = await threads.reader.execute({ sql: 'pragma user_version', parameters: [] });
    expect(rows).toEqual([{ user_version: 0 }]);
  });
});
