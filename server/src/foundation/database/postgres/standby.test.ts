import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../testing/eventually.ts';
import { type PostgresPair, startPostgresPair } from '../../../testing/postgres/postgres-pair.ts';
import { startTestApp, type TestApp, type TestProject } from '../../../testing/start-test-app.ts';
import { createTestClock } from '../../../testing/test-clock.ts';
import { RouteMounter } from '../../http/mount-route.ts';
import type { Config } from '../../settings/config.ts';
import { ConfigError } from '../../settings/config-error.ts';
import type { PostgresDatabase } from '../database.ts';
import type { ListSource } from '../lists.ts';
import { Standby } from '../standby.ts';
import { openPostgres } from './open-postgres.ts';

const database = 'muster';
const clock = createTestClock();
const user = { kind: 'access' };

let pair: PostgresPair;
let atStandby: pg.Client;
let atPrimary: pg.Client;
/** Two replicas. */
let one: TestApp;
let other: TestApp;
let project: TestProject;
let agent: { readonly id: string };

beforeAll(async () => {
  pair = await startPostgresPair({ isSynchronous: false });
  const creator = await connect(pair.primary.url());
  await creator.query(`create database ${database}`);
  await creator.end();
  atPrimary = await connect(pair.primary.url(database));
  await eventually(async () => {
    atStandby = await connect(pair.standby.url(database));
  });
  one = await startReplica();
  // The token of the last start is valid.
  other = await startReplica();
  project = await createProject();
  agent = await other.registerAgent(project, 'web-01');
  await catchUp();
});

afterAll(async () => {
  await one.close();
  await other.close();
  await atPrimary.end();
  await atStandby.end().catch(() => undefined);
  await pair.remove();
});

describe('a list, with MUSTER_READ_DATABASE_URL', () => {
  it('is read from the standby for a user, and from the primary for a project token', async () => {
    await report('before');
    await catchUp();
    await whilePaused(async () => {
      await report('behind');
      expect(await texts(one, asUser())).toEqual(['before']);
      expect(await texts(one, asProject())).toEqual(['behind', 'before']);
    });
    await catchUp();
    expect(await texts(one, asUser())).toEqual(['behind', 'before']);
  });

  it('is read from the primary when the standby is more than 5 s behind, until it has caught up', async () => {
    await whilePaused(async () => {
      await report('far behind');
      await look();
      clock.advance(5_000);
      await look();
      expect((await texts(one, asUser()))[0]).toBe('behind');
      clock.advance(1);
      expect((await texts(one, asUser()))[0]).toBe('far behind');
      await look();
      expect(await metric(one, 'muster_standby_used')).toBe('0');
      expect(Number(await metric(one, 'muster_standby_lag_seconds'))).toBeGreaterThan(5);
      expect(standbyLines(one)).toEqual([
        'lists are read from the standby (MUSTER_READ_DATABASE_URL)',
        'lists are read from the primary, because the standby (MUSTER_READ_DATABASE_URL) cannot be used; it is tried again within 30 s',
      ]);
    });
    await catchUp();
    expect(await metric(one, 'muster_standby_used')).toBe('1');
    expect(await metric(one, 'muster_standby_lag_seconds')).toBe('0');
    expect((await texts(one, asUser()))[0]).toBe('far behind');
    expect(standbyLines(one)).toHaveLength(3);
  });

  it('has what a user has changed, at each replica', async () => {
    const [newest] = await errors(one, asUser());
    const { current: open } = await overview(one);
    await catchUp();
    await whilePaused(async () => {
      const dismissed = await one.request('POST', `/v1/agent_errors/${newest?.id}/dismiss`, {
        ...asUser(),
        body: { reason: 'seen' },
      });
      expect(dismissed.status).toBe(200);
      for (const replica of [one, other]) {
        expect(await errors(replica, asUser())).toContainEqual(
          expect.objectContaining({ id: newest?.id, dismissReason: 'seen' }),
        );
      }
    });
    await catchUp();
    // There, but not counted there yet.
    await whilePaused(async () => {
      for (const replica of [one, other]) expect((await overview(replica)).current).toBe(open - 1);
    });
    await catchUp();
    const before = await fromStandby(one);
    await errors(one, asUser());
    expect(await fromStandby(one)).toBe(before + 1);
  });

  it('says how old the counts are that it has', async () => {
    await report('counted');
    await overview(one);
    await catchUp();
    clock.advance(10_000);
    await look();
    await whilePaused(async () => {
      expect((await overview(one)).countedAt).toBe(clock.now());
      await report('not counted there');
      clock.advance(2_000);
      await look();
      const { countedAt, current } = await overview(one);
      expect(countedAt).toBe(clock.now() - 2_000);
      clock.advance(5_000);
      await look();
      expect(await overview(one)).toEqual({ countedAt: clock.now(), current: current + 1, superseded: 0 });
    });
    await catchUp();
  });

  it('searches at the standby too, and answers what a search cannot find there in time like one at the primary', async () => {
    const search = () =>
      one.request<{ error: string }[]>(
        'GET',
        `/v1/projects/${project.id}/agent_errors?q=not%20there%20yet`,
        asUser(),
      );
    await whilePaused(async () => {
      await report('not there yet');
      expect((await search()).body).toEqual([]);
    });
    await catchUp();
    expect((await search()).body.map(({ error }) => error)).toEqual(['not there yet']);
  });
});

describe('a credential', () => {
  it('ends at once, although the standby does not know it', async () => {
    const token = await other.createToken(project.id, ['read:agent_error']);
    const read = () =>
      one.request('GET', `/v1/projects/${project.id}/agent_errors`, { as: { project: token.token } });
    await catchUp();
    expect((await read()).status).toBe(200);
    await whilePaused(async () => {
      await other.request('DELETE', `/v1/project_tokens/${token.id}`, asUser());
      expect((await read()).status).toBe(401);
    });
    await catchUp();
  });
});

describe('a list whose standby fails', () => {
  let primary: PostgresDatabase;
  let states: string[];
  let standby: Standby;
  const where = ({ standby: source }: ListSource) => (source === undefined ? 'primary' : 'standby');
  beforeAll(() => {
    primary = openPostgres({ databaseUrl: pair.url(database), onConnectionError: () => undefined });
  });
  afterAll(() => primary.close());

  async function start(): Promise<void> {
    states = [];
    standby = new Standby({
      url: pair.standby.url(database),
      primary,
      clock: clock.now,
      monotonic: clock.monotonic,
      onChange: (state, error) => states.push(error instanceof Error ? `${state}: ${error.message}` : state),
    });
    expect(await standby.start()).toBe(true);
    await eventually(async () => {
      await standby.look();
      expect(standby.figures.isUsed).toBe(true);
    });
  }

  it('is refused at the start if the other database is no copy of this one', async () => {
    const started = startReplica({ readDatabaseUrl: pair.standby.url('postgres') });
    await expect(started).rejects.toBeInstanceOf(ConfigError);
    await expect(started).rejects.toThrow(
      'MUSTER_READ_DATABASE_URL names a database that is no copy of the one that DATABASE_URL names. Name a standby that follows that server by streaming replication, with the same database name, or take the setting out.',
    );
  });

  it('is read from the primary when the standby cancels it because of a conflict, and from the standby after a while', async () => {
    await atStandby.query("alter system set max_standby_streaming_delay = '0'");
    await atStandby.query('select pg_reload_conf()');
    await atPrimary.query('create table clash as select from generate_series(1, 10)');
    await start();
    const found = await standby.read(user, async (source) => {
      if (source.standby === undefined) return where(source);
      const slow = sql`select count(*), pg_sleep(60) from clash`.execute(source.db);
      await eventually(async () => {
        const { rows } = await atStandby.query(
          "select from pg_stat_activity where query like '%pg_sleep(60)%' and wait_event = 'PgSleep'",
        );
        expect(rows).toHaveLength(1);
      });
      slow.catch(() => undefined);
      await atPrimary.query('drop table clash');
      await slow;
      return where(source);
    });
    expect(found).toBe('primary');
    expect(states).toEqual(['used', 'failed: canceling statement due to conflict with recovery']);
    expect(await standby.read(user, async (source) => where(source))).toBe('primary');
    clock.advance(1_000);
    await standby.look();
    expect(await standby.read(user, async (source) => where(source))).toBe('standby');
    expect(states.at(-1)).toBe('used');
    await standby.close();
  });

  it('is read from the primary when the standby does not answer, and nobody waits for it afterwards', async () => {
    await start();
    pair.standby.freeze();
    try {
      const read = async (source: ListSource) => where(source);
      const asked = [standby.read(user, read), standby.read(user, read, { isSearch: true })];
      expect(await Promise.all(asked)).toEqual(['primary', 'primary']);
    } finally {
      pair.standby.thaw();
    }
    // Whichever comes first: the connection of the list, or a new one of the search.
    expect(states).toEqual(['used', expect.stringMatching(/^failed: .* (does|did) not answer within 2 s/)]);
    expect(standby.figures.isUsed).toBe(false);
    await standby.close();
  });

  it('is read from the primary when the standby is killed in the middle, and from the standby when it is back', async () => {
    await start();
    const found = await standby.read(user, async (source) => {
      if (source.standby !== undefined) await pair.standby.kill();
      const { rows } = await sql<{ count: number }>`select count(*) as count from projects`.execute(
        source.db,
      );
      return { from: where(source), rows };
    });
    expect(found).toEqual({ from: 'primary', rows: [{ count: 2 }] });
    expect(states).toHaveLength(2);
    expect(states[1]).toMatch(/^failed: /);
    clock.advance(1_000);
    await standby.look();
    expect(states).toHaveLength(2);
    await pair.standby.start();
    await eventually(async () => {
      clock.advance(30_000);
      await standby.look();
      expect(await standby.read(user, async (source) => where(source))).toBe('standby');
    });
    expect(states.at(-1)).toBe('used');
    await standby.close();
  });

  it('is read from the primary when the standby was promoted', async () => {
    await start();
    await pair.promote();
    expect(await standby.read(user, async (source) => where(source))).toBe('primary');
    clock.advance(30_000);
    await standby.look();
    expect(states).toEqual(['used', 'failed: it is no standby any more', 'no_standby']);
    expect((await texts(other, asUser())).length).toBeGreaterThan(0);
    await standby.close();
  });
});

describe('a service that does not start', () => {
  // The last test: the token of the last start is valid.
  it('keeps no connection to the standby open', async () => {
    const close = vi.spyOn(Standby.prototype, 'close');
    vi.spyOn(Standby.prototype, 'look').mockRejectedValueOnce(new Error('no answer'));
    await expect(startReplica()).rejects.toThrow('no answer');
    expect(close).toHaveBeenCalledTimes(1);
    vi.spyOn(RouteMounter.prototype, 'mount').mockImplementationOnce(() => {
      throw new Error('no route');
    });
    await expect(startReplica()).rejects.toThrow('no route');
    expect(close).toHaveBeenCalledTimes(2);
    vi.restoreAllMocks();
  });
});

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

function startReplica(other: Partial<Config> = {}): Promise<TestApp> {
  const config = {
    databaseUrl: pair.primary.url(database),
    readDatabaseUrl: pair.standby.url(database),
    ...other,
  };
  return startTestApp({ clock, config });
}

function asUser() {
  return { as: { access: other.admin } };
}

function asProject() {
  return { as: { project: project.token } };
}

async function createProject(): Promise<TestProject> {
  const created = await other.createProject();
  const { token } = await other.createToken(created.id, [
    'read:agent_error',
    'create:agent_error',
    'create:agent',
  ]);
  return { id: created.id, token };
}

/** With a project token, which is no user. */
async function report(error: string): Promise<void> {
  const { status } = await other.request('POST', `/v1/agents/${agent.id}/errors`, {
    ...asProject(),
    body: { error },
  });
  expect(status).toBe(201);
}

interface ListedError {
  readonly id: string;
  readonly error: string;
}

async function errors(
  replica: TestApp,
  credential: ReturnType<typeof asUser> | ReturnType<typeof asProject>,
) {
  const { body } = await replica.request<ListedError[]>(
    'GET',
    `/v1/projects/${project.id}/agent_errors`,
    credential,
  );
  return body;
}

async function texts(...asked: Parameters<typeof errors>): Promise<string[]> {
  return (await errors(...asked)).map(({ error }) => error);
}

async function overview(replica: TestApp) {
  const { body } = await replica.request<{
    countedAt: string;
    openErrorsByState: { current: number };
  }>('GET', `/v1/projects/${project.id}/summary`, asUser());
  return { countedAt: Date.parse(body.countedAt), ...body.openErrorsByState };
}

async function look(): Promise<void> {
  for (const replica of [one, other]) await replica.app.lookAtStandby();
}

/** Until both replicas know that the standby has everything. */
async function catchUp(): Promise<void> {
  await eventually(async () => {
    await look();
    const { rows } = await atPrimary.query<{ inserted: string }>(
      'select pg_current_wal_insert_lsn() as inserted',
    );
    const { rows: replayed } = await atStandby.query<{ is_there: boolean }>(
      'select pg_last_wal_replay_lsn() >= $1::pg_lsn as is_there',
      [rows[0]?.inserted],
    );
    expect(replayed).toEqual([{ is_there: true }]);
    await look();
    for (const replica of [one, other]) expect(await metric(replica, 'muster_standby_used')).toBe('1');
  });
}

async function whilePaused(work: () => Promise<void>): Promise<void> {
  await atStandby.query('select pg_wal_replay_pause()');
  await eventually(async () => {
    const { rows } = await atStandby.query('select pg_get_wal_replay_pause_state() as state');
    expect(rows).toEqual([{ state: 'paused' }]);
  });
  try {
    await work();
  } finally {
    await atStandby.query('select pg_wal_replay_resume()');
  }
}

async function metric(replica: TestApp, name: string): Promise<string | undefined> {
  const { text } = await replica.request('GET', '/metrics');
  return text
    .split('\n')
    .find((line) => line.startsWith(`${name} `))
    ?.slice(name.length + 1);
}

async function fromStandby(replica: TestApp): Promise<number> {
  return Number(await metric(replica, 'muster_lists_total{server="standby"}'));
}

/** What the log says of the standby. */
function standbyLines(replica: TestApp): string[] {
  return replica.logs
    .map((line) => (JSON.parse(line) as { msg?: string }).msg ?? '') // the logger's own form
    .filter((message) => message.includes('MUSTER_READ_DATABASE_URL'));
}
