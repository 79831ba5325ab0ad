import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dropTestDatabase, prepareTestDatabase, testEngine } from '../../testing/test-database.ts';
import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';
import { createSearches } from './searches.ts';
import { readTakesLong } from './sqlite/sqlite-failures.ts';

describe('a search', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const stays = new AbortController().signal;
  let database: Database;

  beforeAll(async () => {
    const databaseUrl = await prepareTestDatabase(dataDirectory);
    database = await openDatabase({ dataDirectory, databaseUrl, onConnectionError: () => undefined });
  });

  afterAll(async () => {
    await database.close();
    await dropTestDatabase(dataDirectory);
    rmSync(dataDirectory, { recursive: true });
  });

  /** Fails like a statement that exceeds its timeout. */
  async function takeTooLong(): Promise<never> {
    if (database.engine === 'sqlite') throw readTakesLong();
    await database.postgres.query('select pg_cancel_backend(pg_backend_pid())', []);
    throw new Error('it was not cancelled');
  }

  it('returns its result', async () => {
    expect(await createSearches(database).run('somebody', stays, async () => 'found')).toBe('found');
    const one = await createSearches(database).run('somebody', stays, ({ db }) =>
      sql`select 1 as one`.execute(db),
    );
    expect(one.rows).toEqual([{ one: 1 }]);
  });

  it('ends before its next statement when its caller has hung up, and frees its connection', async () => {
    const caller = new AbortController();
    let isDone = false;
    const searching = createSearches(database).run('somebody', caller.signal, async ({ db, goOn }) => {
      goOn();
      await sql`select 1`.execute(db);
      caller.abort();
      goOn();
      isDone = true;
    });
    await expect(searching).rejects.toMatchObject({ code: 'overloaded' });
    expect(isDone).toBe(false);
    // More than the number of connections.
    await Promise.all(Array.from({ length: 30 }, () => sql`select 1`.execute(database.read)));
  });

  it('runs if its caller had already closed half of the connection', async () => {
    const outcome = await createSearches(database).run('somebody', AbortSignal.abort(), async ({ goOn }) => {
      goOn();
      return 'found';
    });
    expect(outcome).toBe('found');
  });

  it('ends after 10 s on SQLite, even if each of its statements is short', async () => {
    // On PostgreSQL it is one statement, which has its own timeout.
    if (testEngine === 'postgres') return;
    let now = 0;
    const searching = createSearches(database, () => now).run('somebody', stays, async ({ goOn }) => {
      now = 10_000;
      goOn();
      now = 10_001;
      goOn();
    });
    await expect(searching).rejects.toMatchObject({ code: 'database_unavailable', retryAfterSeconds: 30 });
  });

  it('that takes too long is refused with advice, and lets the next one run', async () => {
    const searches = createSearches(database);
    for (let round = 0; round < 4; round += 1) {
      await expect(searches.run('somebody', stays, takeTooLong)).rejects.toMatchObject({
        code: 'database_unavailable',
        detail: expect.stringContaining('Narrow it with since, until or agent_id.'),
        retryAfterSeconds: 30,
      });
    }
  });

  it('that fails for another reason fails with that error', async () => {
    const fault = new Error('a fault');
    await expect(createSearches(database).run('somebody', stays, () => Promise.reject(fault))).rejects.toBe(
      fault,
    );
  });
});
