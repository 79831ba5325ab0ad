import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../foundation/database/database.ts';
import { writeLastUsed } from '../../foundation/database/last-used.ts';
import { migrate } from '../../foundation/database/migrate.ts';
import { openDatabase } from '../../foundation/database/open-database.ts';
import { dropTestDatabase, prepareMigratedDatabase, testEngine } from '../../testing/test-database.ts';

describe('lastUsedAt of access tokens', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const userID = '01980000-0000-7000-8000-000000000000';
  const ids = Array.from(
    { length: 400 },
    (_, n) => `01980000-0000-7000-8000-${`${n + 1}`.padStart(12, '0')}`,
  );
  let database: Database;

  async function open(): Promise<Database> {
    const databaseUrl = await prepareMigratedDatabase(dataDirectory);
    return openDatabase({ dataDirectory, databaseUrl, onConnectionError: () => undefined });
  }

  beforeAll(async () => {
    database = await open();
    await migrate(database);
    await database.write
      .insertInto('users')
      .values({ id: userID, name: 'x', issuer: null, subject: null, created_at: 1 })
      .execute();
    const row = { user_id: userID, name: 'x', last_four: 'abcd', is_initial: 0, created_at: 1 };
    const rows = ids.map((id) => ({
      ...row,
      id,
      digest: id,
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    }));
    await database.write.insertInto('access_tokens').values(rows).execute();
  });

  afterAll(async () => {
    await database.close();
    await dropTestDatabase(dataDirectory);
    rmSync(dataDirectory, { recursive: true });
  });

  async function lastUsed(): Promise<(number | null)[]> {
    const rows = await database.read.selectFrom('access_tokens').select('last_used_at').distinct().execute();
    return rows.map((row) => row.last_used_at);
  }

  const usedAt = (at: number, of: readonly string[] = ids) => new Map(of.map((id) => [id, at]));

  it('never goes back, regardless of which replica writes first', async () => {
    expect(await lastUsed()).toEqual([null]);
    await writeLastUsed(database, 'access_tokens', usedAt(2_000));
    expect(await lastUsed()).toEqual([2_000]);
    await writeLastUsed(database, 'access_tokens', usedAt(1_000));
    expect(await lastUsed()).toEqual([2_000]);
    await writeLastUsed(database, 'access_tokens', usedAt(3_000));
    expect(await lastUsed()).toEqual([3_000]);
  });

  if (testEngine !== 'postgres') {
    process.stderr.write('Skipped on SQLite: one connection writes, and no lock is waited for.\n');
  }
  it.runIf(testEngine === 'postgres')(
    'is written by two replicas in opposite orders without a deadlock',
    async () => {
      const other = await open();
      for (let at = 4_001; at <= 4_020; at += 1) {
        await Promise.all([
          writeLastUsed(database, 'access_tokens', usedAt(at)),
          writeLastUsed(other, 'access_tokens', usedAt(at - 1, ids.toReversed())),
        ]);
        expect(await lastUsed()).toEqual([at]);
      }
      await other.close();
    },
  );
});
