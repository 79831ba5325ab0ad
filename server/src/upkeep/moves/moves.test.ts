import { hash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ReportService } from '../../errors/reporting/report-service.ts';
import { PostgresPool } from '../../foundation/database/postgres/postgres-pool.ts';
import { createTransferKeys } from '../../foundation/transfer-seal.ts';
import { TokenService } from '../../people/tokens/token-service.ts';
import { idOfToken, siteStatus } from '../../testing/calls/site-calls.ts';
import { changeRows } from '../../testing/rows/change-rows.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { dropTestDatabase, prepareTestDatabase, testEngine } from '../../testing/test-database.ts';

interface Created {
  readonly id: string;
  readonly token: string;
}

const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-moves-'));
let app: TestApp;
/** Another replica, which on SQLite is the same process. */
let other: TestApp;
let project: TestProject;
let agent: Created;
const runID = randomUUID();
const targetURL = 'https://b.example.com';

beforeAll(async () => {
  app = await startTestApp({ dataDirectory });
  other = testEngine === 'sqlite' ? app : await startTestApp({ dataDirectory, clock: app.clock });
  project = await other.createProject();
  agent = await app.registerAgent(project);
  expect((await report(other)).status).toBe(201);
});

afterEach(() => vi.restoreAllMocks());

afterAll(async () => {
  if (other !== app) await other.close();
  await app.close();
  rmSync(dataDirectory, { recursive: true });
  await dropTestDatabase(dataDirectory);
});

function report(at: TestApp) {
  return at.request<{ code?: string }>('POST', `/v1/agents/${agent.id}/errors`, {
    as: { agent: agent.token },
    body: { error: `fault at ${app.clock.now()}` },
  });
}

/** Which removes what is due. */
async function restart(): Promise<void> {
  if (other !== app) await other.close();
  await app.close();
  app = await startTestApp({ dataDirectory, clock: app.clock });
  other = app;
  await app.app.cleanedUp;
}

async function countErrors(): Promise<number> {
  const { body } = await app.request<{ rowsCount: number }>(
    'POST',
    `/v1/projects/${project.id}/departure/rows`,
    { as: { access: other.admin }, body: { table: 'agent_errors' } },
  );
  return body.rowsCount;
}

function take(step: string, run = runID, more: object = {}) {
  return app.request('POST', `/v1/projects/${project.id}/departure`, {
    as: { access: other.admin },
    body: { step, runID: run, targetURL, ...more },
  });
}

async function readDepartures() {
  const { body } = await app.request<object[]>(
    'GET',
    `/v1/projects/${project.id}/audit_log?action=project.departing`,
    { as: { access: other.admin } },
  );
  return body;
}

const refusedMove = (detail: string) => [
  409,
  { code: 'project_move_refused', detail: expect.stringContaining(detail) },
];

describe('a project that leaves', () => {
  const { publicKey } = createTransferKeys();

  it('gives its secrets to a key alone that its audit log names', async () => {
    const read = async (key: string) => {
      const body = { table: 'fleet_secrets', publicKey: key };
      const url = `/v1/projects/${project.id}/departure/rows`;
      const answer = await app.request('POST', url, { as: { access: other.admin }, body });
      return [answer.status, answer.body];
    };
    await take('begin', runID, { publicKey });
    expect(await read(publicKey)).toMatchObject(refusedMove('no run of the command has named it'));
    expect(await readDepartures()).toEqual([]);
    for (const _ of [1, 2]) expect((await take('copy', runID, { publicKey })).status).toBe(200);
    expect(await read(publicKey)).toMatchObject([200, { rowsCount: 0 }]);
    expect(await read(createTransferKeys().publicKey)).toMatchObject([409, {}]);
    const publicKeyDigest = hash('sha256', publicKey);
    const entry = { actor: { name: 'administrator' }, after: { targetURL, publicKeyDigest } };
    expect(await readDepartures()).toMatchObject([entry]);
  });

  it('is in the hands of the newest run, also while it is frozen', async () => {
    const newer = randomUUID();
    await take('copy', newer, { publicKey });
    const late = await take('freeze');
    expect([late.status, late.body]).toMatchObject(refusedMove('Another run of the command has begun'));
    await take('freeze', newer);
    await take('copy', runID, { publicKey });
    expect((await take('leave', newer)).status).toBe(409);
    expect((await take('thaw')).body).toMatchObject({ state: 'here' });
    expect(await readDepartures()).toHaveLength(3);
  });
});

describe('a project that is frozen', () => {
  it('takes nothing at any replica, from the answer to the freeze on, and says why', async () => {
    const { status, body } = await take('freeze');
    expect([status, body]).toMatchObject([200, { state: 'frozen', targetURL, name: 'test' }]);
    // Which token a machine reported with last, a replica writes after fifteen seconds.
    expect(body).toMatchObject({ settledInMilliseconds: testEngine === 'sqlite' ? 0 : 20_000 });
    const refused = [503, { code: 'project_moving', detail: expect.stringContaining(targetURL) }, '5'];
    const as = { access: other.admin };
    const answers = [
      await report(other),
      await other.request('POST', `/v1/agents/${agent.id}/heartbeat`, { as: { agent: agent.token } }),
      await other.request('POST', '/v1/agents', {
        as: { project: project.token },
        body: { name: 'x', machineID: 'x' },
      }),
      await other.request('PATCH', `/v1/projects/${project.id}`, { as, body: { name: 'y' } }),
      await other.request('POST', `/v1/projects/${project.id}/tokens`, { as, body: { name: 'y' } }),
      await other.request('DELETE', `/v1/agents/${agent.id}`, { as }),
    ];
    for (const answer of answers)
      expect([answer.status, answer.body, answer.headers['retry-after']]).toMatchObject(refused);
  });

  it('is unknown to whoever has no part in it, as before', async () => {
    const stranger = await other.createToken((await other.createProject()).id, ['*']);
    for (const path of [`projects/${project.id}/agents`, `agents/${agent.id}`, `agents/${agent.id}/errors`]) {
      const { status, body } = await other.request('GET', `/v1/${path}`, { as: { project: stranger.token } });
      expect([path, status, body]).toMatchObject([path, 404, { code: 'not_found' }]);
      expect(JSON.stringify(body)).not.toContain(targetURL);
    }
  });

  it('is not given back by another run, and is by its own', async () => {
    expect((await take('thaw', randomUUID())).body).toMatchObject({ state: 'frozen' });
    expect((await take('thaw')).body).toMatchObject({ state: 'here', targetURL: null });
    app.clock.advance(1);
    expect((await report(other)).status).toBe(201);
    const { body } = await app.request<object[]>('GET', `/v1/projects/${project.id}/audit_log?last=2`, {
      as: { access: other.admin },
    });
    expect(body).toMatchObject([
      { action: 'project.thawed' },
      { action: 'project.frozen', after: { targetURL } },
    ]);
  });

  it('keeps errors that are old enough to be removed until it is here again', async () => {
    const as = { access: other.admin };
    const { body } = await app.request<{ id: string }[]>('GET', `/v1/agents/${agent.id}/errors`, { as });
    const path = `/v1/agent_errors/${body[0]?.id}/dismiss`;
    const dismissed = await app.request('POST', path, { as, body: { reason: 'old' } });
    expect(dismissed.status, dismissed.text).toBe(200);
    const stored = await countErrors();
    app.clock.advance(100 * 86_400_000);
    await take('freeze');
    await restart();
    expect(await countErrors()).toBe(stored);
    expect((await take('thaw')).body).toMatchObject({ state: 'here' });
    await restart();
    expect(await countErrors()).toBe(stored - 1);
  });

  it('leaves only while it is frozen', async () => {
    const refused = await take('leave');
    expect([refused.status, refused.body]).toMatchObject([409, { code: 'project_move_refused' }]);
    expect((await report(other)).status).toBe(201);
  });
});

describe.runIf(testEngine === 'postgres')('a project beside a transaction that stays open', () => {
  async function open(application: string): Promise<pg.Client> {
    const connectionString = await prepareTestDatabase(dataDirectory);
    const session = new pg.Client({ connectionString, application_name: application });
    await session.connect();
    await session.query('begin isolation level repeatable read, read only');
    await session.query('select from projects');
    return session;
  }

  it('is frozen beside a backup, which writes nothing', async () => {
    const backup = await open('muster backup');
    expect((await take('freeze')).body).toMatchObject({ state: 'frozen' });
    expect((await take('thaw')).body).toMatchObject({ state: 'here' });
    await backup.end();
  });

  it('is not even frozen beside any other that has been open for half a minute', async () => {
    const dump = await open('pg_dump');
    const query = PostgresPool.prototype.query;
    vi.spyOn(PostgresPool.prototype, 'query').mockImplementation(function (this: PostgresPool, text, values) {
      // Half a minute ago is in a minute.
      return query.call(this, text, values[0] === 30_000 ? [-60_000] : values);
    });
    const refused = await take('freeze');
    expect([refused.status, refused.body]).toMatchObject(refusedMove("of 'pg_dump'"));
    expect((await report(other)).status).toBe(201);
    await dump.end();
  });
});

describe('a batch of a site', () => {
  it.each([
    ['its tokens were looked up', TokenService.prototype, 'findForSite'],
    ['its errors were stored', ReportService.prototype, 'storeOfSite'],
  ] as const)(
    'is sent again, and loses nothing, if the project was frozen only while %s',
    async (_, prototype, name) => {
      app.clock.advance(1_000);
      const site = await app.createCoreInstance(project);
      const at = app.clock.now() - 50;
      const errors = [{ error: `fault while ${name}`, firstAt: at, lastAt: at, count: 1 }];
      const by = { tokenID: await idOfToken(app, project) };
      const send = () =>
        app.request('POST', '/v1/core_instances/self/batches', {
          as: { core_instance: site.token },
          body: {
            ...{ protocol: 1, sequence: 1, status: siteStatus(app.clock.now()) },
            items: [{ kind: 'errors', by, agentID: agent.id, errors }],
          },
        });
      const target = prototype as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>; // each is such a method
      const original = target[name];
      vi.spyOn(target, name).mockImplementationOnce(async function (this: unknown, ...given) {
        await take('freeze');
        try {
          return await original?.apply(this, given);
        } finally {
          await take('thaw');
        }
      });
      const first = await send();
      expect([first.status, first.body]).toMatchObject([503, { code: 'project_moving' }]);
      const again = await send();
      expect([again.status, again.body]).toMatchObject([200, { sequence: 1, refused: [] }]);
    },
  );
});

describe('a project that has left', () => {
  it('is kept until it is deleted, and retention removes nothing of it before', async () => {
    await take('freeze');
    expect((await take('leave')).body).toMatchObject({ state: 'moved', targetURL });
    // Repeating any step changes nothing.
    for (const step of ['leave', 'freeze', 'thaw', 'begin'])
      expect((await take(step)).body, step).toMatchObject({ state: 'moved' });
    for (const step of ['begin', 'copy', 'freeze', 'leave']) {
      const { status, body } = await take(step, runID, { targetURL: 'https://c.example.com' });
      expect([status, body], step).toMatchObject(refusedMove(`has left for ${targetURL}`));
    }
    expect((await report(other)).body).toMatchObject({ code: 'project_moving' });
    const stored = await countErrors();
    expect(stored).toBeGreaterThan(1);
    const changeCounts = `update project_counts set project_id = project_id where project_id = '${project.id}'`;
    expect(await changeRows(dataDirectory, changeCounts)).toBe(1);
    await restart();
    expect(await countErrors()).toBe(stored);
    expect(await changeRows(dataDirectory, changeCounts)).toBe(1);
    const deleted = await app.request('DELETE', `/v1/projects/${project.id}`, {
      as: { access: other.admin },
    });
    expect(deleted.status).toBe(204);
    expect((await take('freeze')).status).toBe(404);
    expect((await report(other)).status).toBe(401);
  });
});
