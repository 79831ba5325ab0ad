import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadSqliteDriver } from './load-driver.ts';
import { SqliteError } from './sqlite-error.ts';
import { isSqliteUnavailable, isSqliteUniqueViolation } from './sqlite-failures.ts';
import type { SqliteValue } from './sqlite-messages.ts';
import { SqliteThreads } from './sqlite-threads.ts';

let directory: string;
let threads: SqliteThreads;
/** The worker threads, the writer first. Only tests terminate them directly. */
let workers: Worker[];

const keepWorker = (worker: Worker) => void workers.push(worker);

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  workers = [];
  process.on('worker', keepWorker);
  threads = await SqliteThreads.open(join(directory, 'muster.db'));
  await write('create table notes (id integer primary key, text any unique) strict');
});

afterEach(async () => {
  process.off('worker', keepWorker);
  await threads.close();
  rmSync(directory, { recursive: true });
});

async function write(sql: string, parameters: readonly SqliteValue[] = []) {
  const endTurn = await threads.takeWriteTurn();
  try {
    return await threads.writer.execute({ sql, parameters });
  } finally {
    endTurn();
  }
}

function insert(...texts: SqliteValue[]) {
  return threads.rows({ sql: 'insert into notes (text) values (?)', rows: texts.map((text) => [text]) });
}

/** Of each call from now on, how many are at the writer with it. */
function countUnderWay(): number[] {
  const underWay: number[] = [];
  const send = threads.writer.rows.bind(threads.writer);
  let unanswered = 0;
  vi.spyOn(threads.writer, 'rows').mockImplementation(async (rows) => {
    unanswered += 1;
    underWay.push(unanswered);
    await send(rows);
    unanswered -= 1;
  });
  return underWay;
}

async function texts(): Promise<SqliteValue[]> {
  const { rows } = await threads.reader.execute({
    sql: 'select text from notes order by id',
    parameters: [],
  });
  return rows.map(({ text }) => text ?? null);
}

async function rejection(promise: Promise<unknown>): Promise<Error> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Error) return error;
  throw new Error(`rejects with no error: ${String(error)}`);
}

describe('a statement', () => {
  it('returns rows, or the number of changed rows', async () => {
    await insert('a', 'b', 'c');
    expect(
      await threads.reader.execute({ sql: 'select id, text from notes where id > ?', parameters: [1] }),
    ).toEqual({
      rows: [
        { id: 2, text: 'b' },
        { id: 3, text: 'c' },
      ],
      changes: 0,
    });
    expect(await write('update notes set text = text || ?', ['!'])).toEqual({ rows: [], changes: 3 });
    expect(await write('delete from notes where id = 1 returning text')).toEqual({
      rows: [{ text: 'a!' }],
      changes: 0,
    });
  });

  it('keeps every type of value', async () => {
    const values = [
      null,
      0,
      -1.5,
      Number.MAX_SAFE_INTEGER,
      '',
      "'; --",
      '\u0001 é e\u0301 😀\u{10ffff}',
      '\n',
    ];
    await insert(...values);
    expect(await texts()).toEqual(values);
    await insert(Uint8Array.of(0, 255, 10), 7n);
    expect((await texts()).slice(-2)).toEqual([Uint8Array.of(0, 255, 10), 7]);
  });

  it('rejects with the message and the code of the driver, and the thread keeps working', async () => {
    await insert('a');
    for (const [sql, message] of [
      ['selekt 1', /syntax error/],
      ['select * from absent', /no such table: absent/],
      ["insert into notes (text) values ('a')", /UNIQUE constraint failed: notes.text/],
    ] as const) {
      const error = await rejection(write(sql));
      expect(error).toBeInstanceOf(SqliteError);
      expect(error.message).toMatch(message);
      expect(error).toHaveProperty('code', expect.stringMatching(/SQLITE|ERR/));
    }
    expect(await texts()).toEqual(['a']);
  });
});

describe('call', () => {
  it('knows the procedures of its program', async () => {
    // The tables that the procedure watches.
    await write(
      'create table agents (id text, project_id text, epoch integer, config_id text, deleted_at integer)',
    );
    await write('create table projects (id text, deleted_at integer)');
    await write('create table agent_error_rows (agent_key integer, dismissed_at integer)');
    await write('create table agent_error_groups (id text, muted_until integer, pattern text)');
    const none = { limits: {}, agents: [], ids: new Uint32Array(), digests: new Float64Array(), texts: [] };
    expect(await threads.call('storeReports', none)).toEqual([]);
    const error = await rejection(threads.call('absent', {}));
    expect(error.message).toBe('there is no procedure absent');
    await insert('after');
    expect(await texts()).toEqual(['after']);
  });
});

describe('rows', () => {
  it('are stored completely or not at all', async () => {
    await insert('kept');
    const error = await rejection(insert('one', 'two', 'kept', 'three'));
    expect(isSqliteUniqueViolation(error)).toBe(true);
    expect(isSqliteUnavailable(error)).toBe(false);
    expect(await texts()).toEqual(['kept']);
    await insert('one', 'two');
    expect(await texts()).toEqual(['kept', 'one', 'two']);
  });

  it('do nothing if there are none', async () => {
    await threads.rows({ sql: 'insert into notes (text) values (?)', rows: [] });
    expect(await texts()).toEqual([]);
  });

  it('of many callers are stored in the order of their calls', async () => {
    await Promise.all(Array.from({ length: 200 }, (_, index) => insert(`${index} a`, `${index} b`)));
    expect(await texts()).toEqual(
      Array.from({ length: 200 }, (_, index) => [`${index} a`, `${index} b`]).flat(),
    );
  });

  it('are on their way to the writer while it still works on earlier ones', async () => {
    const underWay = countUnderWay();
    await Promise.all([insert('a'), insert('b')]);
    expect(underWay).toEqual([1, 2]);
    expect(await texts()).toEqual(['a', 'b']);
  });

  it('are delayed one after the other while a reader keeps the log above its limit', async () => {
    await threads.close();
    const file = join(directory, 'muster.db');
    const notices: string[] = [];
    threads = await SqliteThreads.open(file, undefined, 1, (notice) => notices.push(notice));
    const { DatabaseSync } = loadSqliteDriver();
    const outside = new DatabaseSync(file, { readOnly: true });
    outside.exec('begin');
    outside.prepare('select count(*) from notes').get();
    for (let row = 0; notices.length === 0; row += 1) await insert(`${row} ${'x'.repeat(100_000)}`);
    const underWay = countUnderWay();
    await Promise.all([insert('a'), insert('b'), insert('c')]);
    expect(underWay).toEqual([1, 1, 1]);
    outside.close();
  });

  it('of one caller that fail do not affect others', async () => {
    const outcomes = await Promise.allSettled([insert('a'), insert('b', 'a'), insert('c')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await texts()).toEqual(['a', 'c']);
  });
});

describe('a turn to write', () => {
  it('blocks others until it ends, and then admits them in order', async () => {
    const endTurn = await threads.takeWriteTurn();
    await threads.writer.execute({ sql: 'begin immediate', parameters: [] });
    const others = [insert('second'), insert('third')];
    await threads.writer.execute({ sql: "insert into notes (text) values ('first')", parameters: [] });
    await threads.writer.execute({ sql: 'commit', parameters: [] });
    expect(await texts()).toEqual(['first']);
    endTurn();
    await Promise.all(others);
    expect(await texts()).toEqual(['first', 'second', 'third']);
  });

  it('begins only when all earlier calls are answered', async () => {
    const ended: string[] = [];
    const note = (name: string) => () => void ended.push(name);
    const earlier = [insert('a').then(note('a')), insert('b').then(note('b'))];
    const turn = threads.takeWriteTurn();
    const later = insert('c').then(note('c'));
    const endTurn = await turn;
    expect(ended).toEqual(['a', 'b']);
    expect(await texts()).toEqual(['a', 'b']);
    endTurn();
    await Promise.all([...earlier, later]);
    expect(await texts()).toEqual(['a', 'b', 'c']);
  });

  it('shows nothing to the reader before its commit, and everything from then on', async () => {
    const endTurn = await threads.takeWriteTurn();
    await threads.writer.execute({ sql: 'begin immediate', parameters: [] });
    await threads.writer.execute({ sql: "insert into notes (text) values ('x')", parameters: [] });
    expect(await texts()).toEqual([]);
    await threads.writer.execute({ sql: 'commit', parameters: [] });
    expect(await texts()).toEqual(['x']);
    endTurn();
  });
});

describe('the reader', () => {
  it('cannot write', async () => {
    const error = await rejection(
      threads.reader.execute({ sql: "insert into notes (text) values ('x')", parameters: [] }),
    );
    expect(error.message).toMatch(/readonly database/);
    expect(await texts()).toEqual([]);
  });
});

describe('close', () => {
  it('lets earlier calls finish, and rejects later ones', async () => {
    const before = Array.from({ length: 50 }, (_, index) => insert(`${index}`));
    const reading = texts();
    const closing = threads.close();
    const later = rejection(insert('late'));
    await expect(Promise.all(before)).resolves.toHaveLength(50);
    await reading;
    await closing;
    expect((await later).message).toBe('the database thread has ended');
    expect((await rejection(texts())).message).toBe('the database thread has ended');
    threads = await SqliteThreads.open(join(directory, 'muster.db'));
    expect(await texts()).toHaveLength(50);
  });

  it('can be called again', async () => {
    await threads.close();
    await threads.close();
  });
});

describe('a thread that ends unexpectedly', () => {
  const ways: readonly [string, (worker: Worker | undefined) => void][] = [
    ['is ended', (worker) => void worker?.terminate()],
    // Its message handler fails on this outside any statement, like on a bug.
    ['fails', (worker) => worker?.postMessage(null)],
  ];

  it.each(ways)('rejects waiting and later requests with a database failure when it %s', async (_, end) => {
    await insert('stored before');
    end(workers[0]);
    const waiting = Array.from({ length: 20 }, (_each, index) => rejection(insert(`${index}`)));
    for (const error of await Promise.all(waiting)) {
      expect(error.message).toBe('the database thread has ended');
      expect(isSqliteUnavailable(error)).toBe(true);
    }
    expect((await rejection(insert('later'))).message).toBe('the database thread has ended');
    // The other thread is not affected.
    expect(await texts()).toEqual(['stored before']);
  });

  it('keeps acknowledged writes, and nothing of an open transaction', async () => {
    await insert('acknowledged');
    await threads.writer.execute({ sql: 'begin immediate', parameters: [] });
    await threads.writer.execute({ sql: "insert into notes (text) values ('open')", parameters: [] });
    await workers[0]?.terminate();
    await threads.close();
    threads = await SqliteThreads.open(join(directory, 'muster.db'));
    expect(await texts()).toEqual(['acknowledged']);
    await insert('and on');
  });
});

describe('open', () => {
  it('rejects with the reason if the file is not a database', async () => {
    const file = join(directory, 'other.db');
    writeFileSync(file, 'this is no database, and long enough to be taken for one'.repeat(100));
    const error = await rejection(SqliteThreads.open(file));
    expect(error.message).toBe('the database thread has ended');
    expect(error.cause).toMatchObject({ message: 'file is not a database' });
  });

  it('rejects with the reason if the folder is missing', async () => {
    const error = await rejection(SqliteThreads.open(join(directory, 'missing', 'muster.db')));
    expect(error.cause).toMatchObject({
      message: expect.stringMatching(/unable to open database file|does not exist/),
    });
  });
});
