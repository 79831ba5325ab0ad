import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LateReader } from './late-reader.ts';
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
let late: LateReader;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  file = join(directory, 'muster.db');
  threads = await SqliteThreads.open(file);
  files = [];
  started = 0;
  fatal = [];
  late = new LateReader(
    () => {
      started += 1;
      return new SqliteThread({ file: files.shift() ?? file, mode: 'read', maxWaitMilliseconds: 60_000 });
    },
    (error) => fatal.push(error),
  );
});

afterEach(async () => {
  await late.close();
  await threads.close();
  rmSync(directory, { recursive: true });
});

const one = { sql: 'select 1 as one', parameters: [] };
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
