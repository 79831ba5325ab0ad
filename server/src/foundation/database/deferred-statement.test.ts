import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dropTestDatabase, prepareTestDatabase } from '../../testing/test-database.ts';
import type { Database } from './database.ts';
import { deferred } from './deferred-statement.ts';
import { openDatabase } from './open-database.ts';
import { preparedAs } from './prepared-name.ts';

const addOne = CompiledQuery.raw(deferred('insert into numbers (number) values (1)'));
const addTwo = CompiledQuery.raw(
  deferred(`${preparedAs('add-two')} insert into numbers (number) values (2)`),
);

let dataDirectory: string;
let database: Database;

beforeEach(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const databaseUrl = await prepareTestDatabase(dataDirectory);
  database = await openDatabase({ dataDirectory, databaseUrl, onConnectionError: () => undefined });
  await sql`create table numbers (number integer not null primary key)`.execute(database.write);
});

afterEach(async () => {
  await database.close();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

describe('a deferred statement', () => {
  it('is committed with its transaction', async () => {
    await database.write.transaction().execute(async (trx) => {
      await trx.executeQuery(addOne);
      await trx.executeQuery(addTwo);
    });
    expect(await numbers()).toEqual([1, 2]);
  });

  it('runs before the next statement of its transaction', async () => {
    const seen = await database.write.transaction().execute(async (trx) => {
      await trx.executeQuery(addOne);
      return numbers(trx);
    });
    expect(seen).toEqual([1]);
  });

  it('fails the commit if it fails, and nothing of the transaction is stored', async () => {
    const work = database.write.transaction().execute(async (trx) => {
      await trx.executeQuery(addOne);
      await trx.executeQuery(addOne);
      await trx.executeQuery(addTwo);
    });
    await expect(work).rejects.toThrow(/unique/i);
    expect(await numbers()).toEqual([]);
  });

  it('fails the next statement if it fails', async () => {
    const reached: string[] = [];
    const work = database.write.transaction().execute(async (trx) => {
      await trx.executeQuery(addOne);
      await trx.executeQuery(addOne);
      await numbers(trx);
      reached.push('behind the next statement');
    });
    await expect(work).rejects.toThrow(/unique/i);
    expect(reached).toEqual([]);
    expect(await numbers()).toEqual([]);
  });

  it('is not sent if the transaction is rolled back, and the connection can be used again', async () => {
    const work = database.write.transaction().execute(async (trx) => {
      await trx.executeQuery(addOne);
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    await database.write.transaction().execute((trx) => trx.executeQuery(addTwo));
    expect(await numbers()).toEqual([2]);
  });

  it('runs at once outside of a transaction', async () => {
    await database.write.executeQuery(addOne);
    expect(await numbers()).toEqual([1]);
    await expect(database.write.executeQuery(addOne)).rejects.toThrow(/unique/i);
  });
});

async function numbers(db = database.read): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`select number from numbers order by number`.execute(db);
  return rows.map(({ number }) => number);
}
