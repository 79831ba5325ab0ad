import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withResolvers } from '../../with-resolvers.ts';
import { LateThread } from './late-thread.ts';
import { loadSqliteDriver } from './load-driver.ts';
import { SqliteThread } from './sqlite-thread-handle.ts';
import { SqliteThreads } from './sqlite-threads.ts';

const { DatabaseSync } = loadSqliteDriver();

let directory: string;
let file: string;
let threads: SqliteThreads;
/** The files that the next threads open; afterwards the database. */
let files: string[];
let started: number;
let fatal: Error[];
let late: LateThread;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  file = join(directory, 'muster.db');
  threads = await SqliteThreads.open(file);
  files = [];
  started = 0;
  fatal = [];
  late = new LateThread({ start, onFatal: (error) => fatal.push(error) });
});

afterEach(async () => {
  await late.close();
  await threads.close();
  rmSync(directory, { recursive: true });
});

function start(): SqliteThread {
  started += 1;
  return new SqliteThread({ file: files.shift() ?? file, mode: 'read', maxWaitMilliseconds: 60_000 });
}

const one = { sql: 'select 1 as one', parameters: [] };
/** Takes some milliseconds. */
const long = {
  sql: 'with recursive counted (n) as (select 1 union all select n + 1 from counted where n < 100000) select max(n) as n from counted',
  parameters: [],
};
const answer = { rows: [{ one: 1 }], changes: 0 };

describe('a thread for searches', () => {
  it('is started by the first search, and only once', async () => {
    expect(started).toBe(0);
    expect(await Promise.all([late.execute(one), late.execute(one)])).toEqual([answer, answer]);
    expect(started).toBe(1);
  });

  it('is started again if it failed to start', async () => {
    files = [join(directory, 'missing', 'muster.db')];
    await expect(late.execute(one)).rejects.toThrow('the database thread has ended');
    expect(await late.execute(one)).toEqual(answer);
    expect(fatal).toEqual([]);
  });

  it('ends when nobody has needed it for a while, but not during a statement, and is started again', async () => {
    const ended = withResolvers<void>();
    const short = new LateThread({
      start() {
        const thread = start();
        const close = thread.close.bind(thread);
        thread.close = () => close().finally(ended.resolve);
        return thread;
      },
      onFatal: (error) => fatal.push(error),
      idleMilliseconds: 0,
    });
    // The first answer comes long before the last one.
    const answers = await Promise.all([short.execute(one), short.execute(long), short.execute(one)]);
    expect([answers[0], answers[2], started]).toEqual([answer, answer, 1]);
    await ended.promise;
    expect(await short.execute(one)).toEqual(answer);
    expect(started).toBe(2);
    await short.close();
    expect(fatal).toEqual([]);
  });

  it('is not started once the database has been closed', async () => {
    await late.close();
    await expect(late.execute(one)).rejects.toThrow('the database has been closed');
    expect(started).toBe(0);
  });

  it('does not delay other reads during a long search', async () => {
    await threads.writer.execute({ sql: 'create table notes (text text) strict', parameters: [] });
    const outside = new DatabaseSync(file);
    outside.exec('begin immediate');
    for (const sql of ['pragma query_only = off', 'pragma busy_timeout = 60000']) {
      await threads.searcher.execute({ sql, parameters: [] });
    }
    let isFound = false;
    const searching = threads.searcher
      .execute({ sql: "insert into notes values ('a')", parameters: [] })
      .then(() => {
        isFound = true;
      });
    expect(await threads.reader.execute(one)).toEqual(answer);
    await threads.check();
    expect(isFound).toBe(false);
    outside.exec('rollback');
    outside.close();
    await searching;
  });
});
