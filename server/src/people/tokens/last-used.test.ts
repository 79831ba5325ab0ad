import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../foundation/database/database.ts';
import { writeLastUsed } from '../../foundation/database/last-used.ts';
import { openDatabase } from '../../foundation/database/open-database.ts';
import { openPostgresSession, type PostgresSession } from '../../testing/postgres/postgres-session.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { dropTestDatabase, prepareTestDatabase, testEngine } from '../../testing/test-database.ts';
import { purgeRotations } from '../rotations/rotation-store.ts';

const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));

afterAll(async () => {
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

async function openStored(): Promise<Database> {
  const databaseUrl = await prepareTestDatabase(dataDirectory);
  return openDatabase({ dataDirectory, databaseUrl, onConnectionError: () => undefined });
}

describe('who used a value from before a rotation', () => {
  it('is forgotten with the value', async () => {
    const test = await startTestApp({ dataDirectory });
    const project = await test.createProject();
    const rotate = async (permissions: readonly string[]) => {
      const made = await test.createToken(project.id, permissions);
      const as = { access: test.admin };
      const body = { graceSeconds: 60 };
      await test.request('POST', `/v1/project_tokens/${made.id}/rotate`, { as, body });
      await test.request('GET', '/v1/me', { as: { project: made.token } });
      test.clock.advance(60_000);
      return made.id;
    };
    await rotate(['read:token']);
    const kept = await rotate(['read:agent']);
    const now = test.clock.now();
    await test.close();

    const database = await openStored();
    const digests = async (table: 'earlier_secrets' | 'earlier_secret_origins') =>
      (await database.read.selectFrom(table).select('digest').distinct().execute()).map(
        ({ digest }) => digest,
      );
    expect(await digests('earlier_secret_origins')).toHaveLength(2);
    await purgeRotations(
      database,
      { salts: now, keys: now, before: now - 60_000 },
      new AbortController().signal,
    );
    const [left] = await database.read.selectFrom('earlier_secrets').selectAll().execute();
    expect(left?.token_id).toBe(kept);
    expect(await digests('earlier_secret_origins')).toEqual(await digests('earlier_secrets'));
    await database.close();
  });
});

describe('what rotations leave behind', () => {
  it('is removed in portions, so that reports get their turn in between', async () => {
    const database = await openStored();
    const tokenID = '0192f0a0-0000-7000-8000-000000000000';
    const ofToken = sql`${tokenID}${sql.raw(testEngine === 'postgres' ? '::uuid' : '')}`;
    const numbers = sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1500)`;
    const digest = sql`'digest ' || n`;
    const inserts = [
      sql`insert into rotations (token_id, key_digest, number, request, salt, created_at)
        ${numbers} select ${ofToken}, ${digest}, n, '{}', 'salt', n from numbers`,
      sql`insert into earlier_secrets (digest, token_id, number, last_four, ends_at, retires_on_use)
        ${numbers} select ${digest}, ${ofToken}, n, 'abcd', n, 0 from numbers`,
      sql`insert into earlier_secret_origins (digest, kind, origin, last_used_at)
        ${numbers} select 'gone ' || n, 'address', '192.0.2.1', n from numbers`,
    ];
    for (const insert of inserts) await insert.execute(database.write);
    const tables = ['rotations', 'earlier_secrets', 'earlier_secret_origins'] as const;
    const counts = async () => {
      const found: number[] = [];
      for (const table of tables) {
        const query = database.read.selectFrom(table).select((eb) => eb.fn.countAll<number>().as('count'));
        found.push(Number((await query.executeTakeFirstOrThrow()).count));
      }
      return found;
    };
    const [, secrets = 0, origins = 0] = await counts();
    const limits = { salts: 1_500, keys: 1_490, before: 1_500 };
    // A service that closes stops after a portion of each.
    await purgeRotations(database, limits, AbortSignal.abort());
    expect(await counts()).toEqual([500, secrets - 1_000, origins - 1_000]);
    await purgeRotations(database, limits, new AbortController().signal);
    expect(await counts()).toEqual([10, secrets - 1_500, origins - 1_500]);
    const left = await database.read.selectFrom('rotations').select(['number', 'salt']).execute();
    expect(left.map(({ salt }) => salt)).toEqual(Array.from({ length: 10 }, () => null));
    await database.close();
  });
});

describe('lastUsedAt of a token', () => {
  it('never goes back, regardless of which replica writes first', async () => {
    const test = await startTestApp({ dataDirectory });
    const project = await test.createProject();
    const { id } = await test.createToken(project.id, ['read:token']);
    await test.close();

    const database = await openStored();
    const lastUsed = async () => {
      const query = database.read.selectFrom('project_tokens').select('last_used_at').where('id', '=', id);
      return (await query.executeTakeFirstOrThrow()).last_used_at;
    };
    expect(await lastUsed()).toBeNull();
    for (const [written, expected] of [
      [2_000, 2_000],
      [1_000, 2_000],
      [3_000, 3_000],
    ] as const) {
      await writeLastUsed(database, 'project_tokens', new Map([[id, written]]));
      expect(await lastUsed()).toBe(expected);
    }
    await database.close();
  });
});

if (testEngine !== 'postgres') {
  process.stderr.write('Skipped on SQLite: one connection writes, and no lock is waited for.\n');
}
describe.runIf(testEngine === 'postgres')('lastUsedAt of many tokens at once', () => {
  const clock = createTestClock();
  let test: TestApp;
  let session: PostgresSession;
  let database: Database;

  beforeAll(async () => {
    test = await startTestApp({ dataDirectory, clock });
    session = await openPostgresSession(dataDirectory);
    database = await openStored();
  });

  afterAll(async () => {
    await database.close();
    await session.end();
    await test.close();
  });

  afterEach(() => session.query('rollback'));

  /** A token and its descendants. All descendants are older, because it has widened them. */
  async function createFamily(): Promise<{ newest: string; oldest: string; others: string[] }> {
    const project = await test.createProject();
    for (const _ of ['second', 'third', 'newest']) await test.createToken(project.id, ['read:token']);
    const rows = await session.query<{ id: string }>(
      'select id from project_tokens where project_id = $1 order by id',
      [project.id],
    );
    const [oldest = '', ...others] = rows.map(({ id }) => id);
    const newest = others.at(-1) ?? '';
    await session.query('update project_tokens set parent_id = $1 where id = any($2::uuid[])', [
      newest,
      others.slice(0, -1),
    ]);
    // Written last, so that it comes last when rows are read in storage order.
    await session.query('update project_tokens set parent_id = $1 where id = $2', [newest, oldest]);
    return { newest, oldest, others };
  }

  /** The rows that an operation has locked, which changes the whole family, while it waits for the oldest token. */
  async function lockedMeanwhile(
    { oldest, others }: { readonly oldest: string; readonly others: readonly string[] },
    work: () => Promise<unknown>,
  ): Promise<string[]> {
    await session.query('begin');
    await session.query('select 1 from project_tokens where id = $1 for update', [oldest]);
    const working = work();
    await session.waitForBlocked('project_tokens', 1);
    const free = await session.query<{ id: string }>(
      'select id from project_tokens where id = any($1::uuid[]) for update skip locked',
      [others],
    );
    await session.query('rollback');
    await working;
    return others.filter((id) => !free.some((row) => row.id === id));
  }

  it.each([
    ['in the order of their ids', (ids: readonly string[]) => ids],
    ['in the opposite order', (ids: readonly string[]) => ids.toReversed()],
  ])('are locked in the order of their ids, given %s', async (_, order) => {
    const family = await createFamily();
    const usedAt = new Map(order([family.oldest, ...family.others]).map((id) => [id, clock.now()]));
    expect(await lockedMeanwhile(family, () => writeLastUsed(database, 'project_tokens', usedAt))).toEqual(
      [],
    );
  });

  it.each([
    ['revoked', 'DELETE', undefined, 204],
    ['made to end sooner', 'PATCH', { expiresAt: '2026-03-03T00:00:00.000Z' }, 200],
  ])('are also locked in that order when they are %s together', async (_, method, body, status) => {
    const family = await createFamily();
    const change = async () => {
      const answer = await test.request(method, `/v1/project_tokens/${family.newest}`, {
        as: { access: test.admin },
        body,
      });
      expect(answer.status).toBe(status);
    };
    expect(await lockedMeanwhile(family, change)).toEqual([]);
    const column = method === 'DELETE' ? 'revoked_at' : 'expires_at';
    const changed = await session.query(
      `select 1 from project_tokens where ${column} is not null and id = any($1)`,
      [[family.oldest, ...family.others]],
    );
    expect(changed).toHaveLength(1 + family.others.length);
  });

  it('are written by two replicas in opposite orders without a deadlock', async () => {
    const project = await test.createProject();
    await session.query(
      `insert into project_tokens (id, project_id, name, permissions, digest, last_four, created_at, created_by_kind)
       select gen_random_uuid(), $1, 'x', '[]', md5(n::text), 'abcd', 1, 'system' from generate_series(1, 2000) as n`,
      [project.id],
    );
    await session.query('analyze project_tokens');
    const rows = await session.query<{ id: string }>(
      'select id from project_tokens where project_id = $1 order by random() limit 400',
      [project.id],
    );
    const ids = rows.map(({ id }) => id);
    const other = await openStored();
    for (let round = 1; round <= 20; round += 1) {
      const at = clock.now() + round;
      await Promise.all([
        writeLastUsed(database, 'project_tokens', new Map(ids.map((id) => [id, at]))),
        writeLastUsed(other, 'project_tokens', new Map(ids.toReversed().map((id) => [id, at - 1]))),
      ]);
      expect(
        await session.query(
          'select distinct last_used_at::float8 as at from project_tokens where id = any($1::uuid[])',
          [ids],
        ),
      ).toEqual([{ at }]);
    }
    await other.close();
  });
});
