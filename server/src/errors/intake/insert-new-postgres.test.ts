import { hash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNewID } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import { openDatabase } from '../../foundation/database/open-database.ts';
import type { PostgresPool } from '../../foundation/database/postgres/postgres-pool.ts';
import { openPostgresSession } from '../../testing/postgres/postgres-session.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { prepareTestDatabase } from '../../testing/test-database.ts';
import type { AcceptedReport, Report } from '../report.ts';
import { createPostgresReportStore } from './report-store-postgres.ts';

const limits = { openPerAgent: 40, newPerAgentPerMinute: 0, newPerProjectPerSecond: 0 };

let app: TestApp;
let project: TestProject;
let database: Database;
let generation = 0;
let pool: PostgresPool;
/** The sent statements, by the beginning of their names. */
const sent: string[] = [];
let newID: () => string;

beforeAll(async () => {
  app = await startTestApp();
  project = await app.createProject();
  newID = createNewID(app.clock.now, randomBytes);
  const databaseUrl = await prepareTestDatabase(app.dataDirectory);
  database = await openDatabase({
    dataDirectory: app.dataDirectory,
    databaseUrl,
    onConnectionError: () => undefined,
  });
  if (database.engine !== 'postgres') throw new Error('this is about PostgreSQL');
  const { postgres } = database;
  const query: PostgresPool['query'] = (text, values, name) => {
    sent.push(String(name));
    return postgres.query(text, values, name);
  };
  pool = Object.assign(Object.create(postgres), { query }) as PostgresPool; // the real one, with its statements recorded
  generation = await readGeneration();
});
afterAll(async () => {
  await database.close();
  await app.close();
});

async function readGeneration(): Promise<number> {
  const [row] = await database.read.selectFrom('credential_changes').select('generation').execute();
  return Number(row?.generation);
}

const reportOf = (agentID: string, error: string, change: Partial<Report> = {}): Report => ({
  id: newID(),
  agentID,
  projectID: project.id,
  error,
  createdAt: app.clock.now(),
  generation,
  ...change,
});

async function startStore() {
  const { id: agentID } = await app.registerAgent(project);
  const store = createPostgresReportStore(pool, limits, app.clock.monotonic);
  sent.length = 0;
  return {
    agentID,
    store,
    report: (error: string, change?: Partial<Report>) => reportOf(agentID, error, change),
  };
}

describe('reports that are probably new', () => {
  it('are inserted without a count once the agent was counted', async () => {
    const { store, report } = await startStore();
    expect(await store([report('one')])).toMatchObject([{ kind: 'created' }]);
    expect(sent).toEqual(['read-mutes', 'store-reports']);
    expect(await store([report('two'), report('three')])).toMatchObject([
      { kind: 'created' },
      { kind: 'created' },
    ]);
    expect(sent).toEqual(['read-mutes', 'store-reports', 'insert-new-reports']);
  });

  it('that repeat an open error are answered with it, and only looked up the next time', async () => {
    const { agentID, store, report } = await startStore();
    const [first] = await store([report('one')]);
    // Another replica, which has never seen the text.
    const other = createPostgresReportStore(pool, limits, app.clock.monotonic);
    await other([reportOf(agentID, 'to be counted')]);
    sent.length = 0;
    expect(await other([report('one')])).toEqual([{ ...first, kind: 'ignored' }]);
    expect(sent).toEqual(['insert-new-reports', 'store-reports']);
    expect(await other([report('one')])).toEqual([{ ...first, kind: 'ignored' }]);
    expect(sent.slice(2)).toEqual(['find-repeated-errors']);
  });

  it('that repeat what is no longer open, or come from a deleted agent or with an old credential, go on to the full statement', async () => {
    const { agentID, store, report } = await startStore();
    const [stays, goes] = await store([report('stays'), report('goes')]);
    await store([report('stays'), report('goes')]);
    const { id } = goes as AcceptedReport; // it was just created
    await app.request('POST', `/v1/agent_errors/${id}/dismiss`, {
      as: { access: app.admin },
      body: { reason: 'repaired' },
    });
    sent.length = 0;
    const again = report('goes');
    expect(await store([report('stays'), again])).toEqual([
      { ...stays, kind: 'ignored' },
      { kind: 'created', id: again.id, createdAt: again.createdAt },
    ]);
    expect(sent).toEqual(['find-repeated-errors', 'store-reports']);
    expect(await store([report('stays', { generation: generation - 1 })])).toEqual([
      { kind: 'credential_changed' },
    ]);
    await app.request('DELETE', `/v1/agents/${agentID}`, { as: { access: app.admin } });
    generation = await readGeneration();
    expect(await store([report('stays')])).toEqual([{ kind: 'agent_deleted' }]);
  });

  it('are stored with any text and the digest of its bytes, and an equal open one among them is told apart', async () => {
    const { agentID, store, report } = await startStore();
    await store([report('counted')]);
    const other = createPostgresReportStore(pool, { ...limits, openPerAgent: 0 }, app.clock.monotonic);
    const texts = [
      '"quoted"',
      'C:\\temp\\',
      '{a,b}',
      'NULL',
      '',
      ' ',
      '\\"',
      'line\nline\t',
      'größer 😀',
      "it's",
    ];
    sent.length = 0;
    const outcomes = await other([...texts, 'counted'].map((text) => report(text)));
    expect(outcomes.map(({ kind }) => kind)).toEqual([...texts.map(() => 'created'), 'ignored']);
    expect(sent).toEqual(['read-mutes', 'insert-new-reports', 'store-reports']);
    const stored = await database.read
      .selectFrom('agent_errors')
      .where('agent_id', '=', agentID)
      .select(['error', (eb) => eb.fn<string>('encode', ['error_digest', eb.val('hex')]).as('digest')])
      .execute();
    const sorted = (all: readonly { readonly error: string; readonly digest: string }[]) =>
      all.toSorted((one, next) => (one.error < next.error ? -1 : 1));
    expect(sorted(stored)).toEqual(
      sorted(['counted', ...texts].map((error) => ({ error, digest: hash('sha256', error) }))),
    );
    // None of these is stored: all of them repeat.
    expect(await other(texts.map((text) => report(text)))).toMatchObject(
      texts.map(() => ({ kind: 'ignored' })),
    );
  });

  it('of equal text in one batch share an error', async () => {
    const { store, report } = await startStore();
    await store([report('one')]);
    const outcomes = await store([report('two'), report('two')]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['created', 'ignored']);
    expect(new Set(outcomes.map((outcome) => ('id' in outcome ? outcome.id : '')))).toHaveLength(1);
  });

  it('are not stored with a credential that must be checked again, for another project, or for a deleted agent', async () => {
    const { agentID, store, report } = await startStore();
    const other = await app.createProject();
    await store([report('one')]);
    expect(await store([report('two', { generation: generation - 1 })])).toEqual([
      { kind: 'credential_changed' },
    ]);
    expect(await store([report('two', { projectID: other.id })])).toEqual([{ kind: 'agent_not_found' }]);
    await app.request('DELETE', `/v1/agents/${agentID}`, { as: { access: app.admin } });
    generation = await readGeneration();
    expect(await store([report('two')])).toEqual([{ kind: 'agent_deleted' }]);
  });

  it('are not inserted if the project has reached its limit on stored bytes; repeats are still accepted', async () => {
    const { store, report } = await startStore();
    await store([report('one')]);
    expect(await store([report('two', { isProjectFull: true })])).toEqual([
      { kind: 'limited', limit: 'storedBytesPerProject' },
    ]);
    expect(await store([report('one', { isProjectFull: true })])).toMatchObject([{ kind: 'ignored' }]);
  });

  it('never exceed the limit of an agent, in batches of any size and next to known repeats', async () => {
    const { store, report } = await startStore();
    const kinds: string[] = [];
    let number = 0;
    for (const size of [1, 3, 5, 2, 7, 1, 1, 4, 9, 3, 8, 6, 5]) {
      const batch = Array.from({ length: size }, () => report(`error ${number++}`));
      const outcomes = await store(number % 2 === 0 ? batch : [...batch, report('error 0')]);
      kinds.push(...outcomes.slice(0, size).map(({ kind }) => kind));
    }
    expect(kinds.filter((kind) => kind === 'created')).toHaveLength(40);
    expect(kinds.filter((kind) => kind === 'limited')).toHaveLength(kinds.length - 40);
    expect(sent).toContain('insert-new-reports');
  });

  it('exceed it with three replicas by at most an eighth per further replica', async () => {
    const { agentID, store, report } = await startStore();
    const replicas = [
      store,
      createPostgresReportStore(pool, limits, app.clock.monotonic),
      createPostgresReportStore(pool, limits, app.clock.monotonic),
    ];
    for (let round = 0; round < 40; round += 1) {
      await Promise.all(replicas.map((one, index) => one([report(`replica ${index}, error ${round}`)])));
    }
    const { count } = await database.read
      .selectFrom('agent_errors')
      .where('agent_id', '=', agentID)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(Number(count)).toBeGreaterThanOrEqual(40);
    expect(Number(count)).toBeLessThanOrEqual(50 + replicas.length - 1);
  });
});

describe('concurrent batches', () => {
  const known = { openPerAgent: 0, newPerAgentPerMinute: 0, newPerProjectPerSecond: 0 };

  /** Two agents, the one with the smaller id first. */
  async function registerTwo(): Promise<readonly [string, string]> {
    const [{ id: one }, { id: other }] = [await app.registerAgent(project), await app.registerAgent(project)];
    return one < other ? [one, other] : [other, one];
  }

  it.each([
    { way: 'inserted first', given: known },
    { way: 'counted', given: limits },
  ])('lock the rows of agents in ascending order when they are $way', async ({ given }) => {
    const session = await openPostgresSession(app.dataDirectory);
    const [lesser, greater] = await registerTwo();
    const store = createPostgresReportStore(pool, given, app.clock.monotonic);
    await session.query('begin');
    await session.query('select from agents where id = $1 for update', [lesser]);
    const stored = store([reportOf(greater, 'one'), reportOf(lesser, 'one')]);
    await session.waitForBlocked('from unnest(', 1);
    // Still unlocked, otherwise this would wait forever.
    await session.query('select from agents where id = $1 for update nowait', [greater]);
    await session.query('commit');
    expect(await stored).toMatchObject([{ kind: 'created' }, { kind: 'created' }]);
    await session.end();
  });

  it.each([
    { way: 'inserted first', given: known },
    { way: 'counted', given: limits },
  ])(
    'of two replicas do not deadlock over the same errors in opposite orders when they are $way',
    async ({ given }) => {
      const session = await openPostgresSession(app.dataDirectory);
      const { id: agentID } = await app.registerAgent(project);
      const batch = ['one', 'held', 'other'].map((text) => reportOf(agentID, text));
      const [one, other] = [
        createPostgresReportStore(pool, given, app.clock.monotonic),
        createPostgresReportStore(pool, given, app.clock.monotonic),
      ];
      await session.query('begin');
      // Both batches wait here for whether this error becomes open, each with what it has inserted before.
      await session.query(
        `insert into agent_errors (agent_id, id, project_id, error, error_digest, epoch, created_at, occurrences, last_seen_at)
       select id, $2, project_id, 'held', $3, epoch, 1, 1, 1 from agents where id = $1`,
        [agentID, newID(), hash('sha256', 'held', 'buffer')],
      );
      const outcomes = [one(batch)];
      await session.waitForBlocked('from unnest(', 1);
      outcomes.push(other(batch.toReversed().map((report) => ({ ...report, id: newID() }))));
      await session.waitForBlocked('from unnest(', 2);
      await session.query('rollback');
      const [first = [], second = []] = (await Promise.all(outcomes)).map((ofOne) =>
        ofOne.map(({ kind }) => kind),
      );
      expect([...first, ...second].toSorted()).toEqual([
        ...Array(3).fill('created'),
        ...Array(3).fill('ignored'),
      ]);
      await session.end();
    },
  );
});
