import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { blockUntilBegun } from '../../../testing/block-until-begun.ts';
import { eventually } from '../../../testing/eventually.ts';
import { SqliteThreads } from './sqlite-threads.ts';

let directory: string;
let threads: SqliteThreads;
const onOutcomeUnknown = vi.fn<() => void>();

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  threads = await SqliteThreads.open(join(directory, 'muster.db'));
  await write('create table notes (text text) strict');
  onOutcomeUnknown.mockReset();
  threads.writer.onOutcomeUnknown = onOutcomeUnknown;
});

afterEach(async () => {
  vi.useRealTimers();
  await threads.close();
  rmSync(directory, { recursive: true });
});

function write(sql: string): Promise<unknown> {
  return threads.writer.execute({ sql, parameters: [] });
}

async function texts(): Promise<unknown[]> {
  const { rows } = await threads.reader.execute({ sql: 'select text from notes', parameters: [] });
  return rows.map(({ text }) => text);
}

/** Lets the time limit pass while the thread works, before its answer can be read. The thread has its own clock. */
async function untilGivenUp(sql: string): Promise<void> {
  const { begun } = threads.writer;
  const given = expect(write(sql)).rejects.toThrow('does not answer');
  blockUntilBegun(threads.writer, begun);
  vi.advanceTimersByTime(10_000);
  await given;
}

async function untilItWorks(): Promise<void> {
  vi.useRealTimers();
  await eventually(() => threads.check());
}

describe('onOutcomeUnknown', () => {
  it('is called for a commit whose caller was already rejected, once readers can see it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const known = new Promise<Promise<unknown[]>>((resolve) => {
      onOutcomeUnknown.mockImplementationOnce(() => resolve(texts()));
    });
    await untilGivenUp("insert into notes (text) values ('late')");
    expect(onOutcomeUnknown).not.toHaveBeenCalled();
    expect(await await known).toEqual(['late']);
  });

  it('is called before a new request is accepted', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await untilGivenUp("insert into notes (text) values ('late')");
    await untilItWorks();
    expect(onOutcomeUnknown).toHaveBeenCalled();
    onOutcomeUnknown.mockClear();
    await write("insert into notes (text) values ('heard')");
    expect(onOutcomeUnknown).not.toHaveBeenCalled();
    expect(await texts()).toEqual(['late', 'heard']);
  });

  it('is not called for work that ended in time or failed', async () => {
    await write("insert into notes (text) values ('in time')");
    await threads.rows({ sql: 'insert into notes (text) values (?)', rows: [['in time too']] });
    await expect(write('insert into nowhere (text) values (1)')).rejects.toThrow('no such table');
    await expect(write("insert into notes (text) values (x'00')")).rejects.toThrow('TEXT');
    expect(await texts()).toEqual(['in time', 'in time too']);
    expect(onOutcomeUnknown).not.toHaveBeenCalled();
  });

  it('is called if the thread is abandoned after a commit, before that is reported', async () => {
    const told: string[] = [];
    onOutcomeUnknown.mockImplementation(() => told.push('unheard'));
    threads.writer.onFatal = () => told.push('fatal');
    // The reader has started, otherwise it would end first.
    expect(await texts()).toEqual([]);
    rmSync(join(directory, 'muster.db-wal'));
    await expect(write("insert into notes (text) values ('lost')")).rejects.toThrow('removed, moved');
    expect(told).toEqual(['unheard', 'fatal']);
  });
});
