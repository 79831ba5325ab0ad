import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SqliteDatabase } from '../database.ts';
import type { Tables } from '../tables.ts';
import { GroupedTransactions } from './grouped-transactions.ts';
import { openSqlite } from './open-sqlite.ts';

let directory: string;
let database: SqliteDatabase;
let transactions: GroupedTransactions;
/** The statements that the writer received, in order. */
let statements: string[];
let onBegun: () => void;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  database = await openSqlite(directory);
  await sql`create table parents (name text primary key) strict`.execute(database.write);
  await sql`create table notes (name text primary key, parent text references parents (name)) strict`.execute(
    database.write,
  );
  transactions = new GroupedTransactions(database.write);
  statements = [];
  onBegun = () => undefined;
  const { writer } = database.sqlite;
  const execute = writer.execute.bind(writer);
  vi.spyOn(writer, 'execute').mockImplementation((statement) => {
    statements.push(statement.sql);
    if (statement.sql === 'BEGIN IMMEDIATE') onBegun();
    return execute(statement);
  });
});

afterEach(async () => {
  await database.close();
  rmSync(directory, { recursive: true });
});

function insert(name: string): (trx: Kysely<Tables>) => Promise<string> {
  return async (trx) => {
    await sql`insert into notes (name) values (${name})`.execute(trx);
    return `${name} is noted`;
  };
}

async function storedNames(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from notes order by name`.execute(database.read);
  return rows.map(({ name }) => name);
}

/** Resolves in the turn in which the next group begins. */
function untilBegun(): Promise<void> {
  return new Promise((resolve) => {
    onBegun = resolve;
  });
}

const commits = () => statements.filter((statement) => /^commit$/i.test(statement)).length;

describe('GroupedTransactions', () => {
  it('commits concurrent transactions together, and returns to each its own result', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `note ${index}`);
    const results = await Promise.all(names.map((name) => transactions.run(name, insert(name))));
    expect(results).toEqual(names.map((name) => `${name} is noted`));
    expect(await storedNames()).toEqual([...names].sort());
    expect(commits()).toBe(1);
  });

  it('collects transactions that arrive during a group into the next one', async () => {
    const begun = untilBegun();
    const first = transactions.run('a', insert('a'));
    await begun;
    await Promise.all([first, ...['b', 'c', 'd'].map((name) => transactions.run(name, insert(name)))]);
    expect(await storedNames()).toEqual(['a', 'b', 'c', 'd']);
    expect(commits()).toBe(2);
  });

  it('rolls back only the failed transaction, without affecting others', async () => {
    await transactions.run('b', insert('b'));
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'c'].map((name) => transactions.run(name, insert(name))),
    );
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: 'a is noted' },
      { status: 'rejected', reason: expect.objectContaining({ message: expect.stringContaining('UNIQUE') }) },
      { status: 'fulfilled', value: 'c is noted' },
    ]);
    expect(await storedNames()).toEqual(['a', 'b', 'c']);
  });

  it('rolls back everything of a transaction that fails in the middle, even if it is alone', async () => {
    const failing = transactions.run('a', async (trx) => {
      await insert('half')(trx);
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await storedNames()).toEqual([]);
    expect(await transactions.run('a', insert('a'))).toBe('a is noted');
  });

  it('rejects a whole group if its commit fails, and stores nothing of it', async () => {
    const breaking = transactions.run('a', async (trx) => {
      await sql`pragma defer_foreign_keys = on`.execute(trx);
      await sql`insert into notes (name, parent) values ('a', 'nobody')`.execute(trx);
    });
    const outcomes = await Promise.allSettled([breaking, transactions.run('b', insert('b'))]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await storedNames()).toEqual([]);
    expect(await transactions.run('b', insert('b'))).toBe('b is noted');
  });

  it('runs transactions with the same key one after the other, each after the commit of the previous one', async () => {
    const seen: string[][] = [];
    const look = (name: string) => async (trx: Kysely<Tables>) => {
      await insert(name)(trx);
      seen.push(await storedNames());
    };
    await Promise.all(['a', 'b', 'c'].map((name) => transactions.run('same key', look(name))));
    expect(seen).toEqual([[], ['a'], ['a', 'b']]);
  });

  it('lets others write between two groups', async () => {
    const begun = untilBegun();
    const done: string[] = [];
    const crowd = Array.from({ length: 300 }, (_, index) =>
      transactions.run(`${index}`, insert(`note ${index}`)).then(() => done.push('one of the crowd')),
    );
    await begun;
    await sql`insert into notes (name) values ('from outside')`.execute(database.write);
    expect(done.length).toBeLessThan(300);
    await Promise.all(crowd);
    expect(await storedNames()).toHaveLength(301);
  });
});
