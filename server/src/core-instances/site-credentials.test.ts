import { hash } from 'node:crypto';
import type { SiteCredentials, Token } from '@muster/contract';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../foundation/database/open-database.ts';
import { eventually } from '../testing/eventually.ts';
import { changeRows } from '../testing/rows/change-rows.ts';
import { readRows } from '../testing/rows/read-rows.ts';
import { startTestApp, type TestApp, type TestProject } from '../testing/start-test-app.ts';
import { prepareTestDatabase, testEngine } from '../testing/test-database.ts';
import { takeSupply } from '../testing/test-supplies.ts';
import { deleteNotes } from './site-credential-store.ts';

const limitSettings = {
  newErrorsPerAgentPerMinute: 100,
  newErrorsPerProjectPerSecond: 200,
  invalidCredentialsPerAddressPerMinute: 300,
  registration: 'open',
} as const;

let app: TestApp;
let project: TestProject;
let site: { readonly id: string; readonly token: string };
/** What a site knows, by digest. */
let known: Map<string, SiteCredentials['items'][number]>;
let cursor: string | undefined;
let resets: number;
let limits: SiteCredentials['limits'] | undefined;

beforeAll(async () => {
  app = await startTestApp({ config: limitSettings });
});

afterAll(() => app.close());

beforeEach(async () => {
  project = await app.createProject();
  site = await app.createCoreInstance(project);
  known = new Map();
  cursor = undefined;
  resets = 0;
});

function ask(from: string | undefined, token = site.token) {
  const query = from === undefined ? '' : `?cursor=${from}`;
  return app.request<SiteCredentials>('GET', `/v1/core_instances/self/credentials${query}`, {
    as: { core_instance: token },
  });
}

/** Asks until there is no more, as a site does. Returns what it was told. */
async function follow(): Promise<SiteCredentials['items']> {
  const told: SiteCredentials['items'] = [];
  for (;;) {
    const { status, body } = await ask(cursor);
    expect(status).toBe(200);
    if (body.reset) {
      known.clear();
      resets += 1;
    }
    for (const item of body.items) known.set(item.digest, item);
    told.push(...body.items);
    cursor = body.cursor;
    limits = body.limits;
    if (!body.more) return told;
  }
}

const of = (token: string) => known.get(hash('sha256', token));

const admin = () => ({ access: app.admin });

describe('GET /v1/core_instances/self/credentials', () => {
  it('lists all credentials of the project, and nothing of another one', async () => {
    const agent = await app.registerAgent(project);
    const other = await app.createProject('other');
    const foreign = await app.registerAgent(other);
    const narrow = await app.request<Token>('POST', `/v1/projects/${project.id}/tokens`, {
      as: admin(),
      body: {
        name: 'narrow',
        permissions: ['create:agent_error'],
        expiresAt: '2026-04-01T00:00:00.000Z',
        allowedNetworks: ['10.0.0.0/8'],
        reportsPerSecond: 7,
      },
    });
    await follow();
    expect(of(narrow.body.token)).toEqual({
      kind: 'project',
      digest: hash('sha256', narrow.body.token),
      id: narrow.body.id,
      permissions: ['create:agent_error'],
      networks: [['10.0.0.0/8']],
      rates: [{ tokenID: narrow.body.id, reportsPerSecond: 7 }],
      expiresAt: Date.parse('2026-04-01T00:00:00.000Z'),
      revoked: false,
      deleted: false,
    });
    expect(of(agent.token)).toEqual({
      kind: 'agent',
      digest: hash('sha256', agent.token),
      id: agent.id,
      permissions: ['create:agent_error', 'update:agent', 'read:fleet'],
      networks: [],
      rates: [],
      expiresAt: null,
      revoked: false,
      deleted: false,
    });
    expect(of(project.token)).toMatchObject({ kind: 'project', revoked: false });
    expect(of(foreign.token)).toBeUndefined();
    expect(of(other.token)).toBeUndefined();
    expect(resets).toBe(1);
    expect(limits).toEqual(limitSettings);
  });

  it('tells that the limit of a project token has changed', async () => {
    const token = await app.createToken(project.id, ['create:agent_error']);
    await follow();
    await app.request('PATCH', `/v1/project_tokens/${token.id}`, {
      as: admin(),
      body: { reportsPerSecond: 3 },
    });
    await follow();
    expect(of(token.token)?.rates).toEqual([{ tokenID: token.id, reportsPerSecond: 3 }]);
  });

  it('then tells only what has changed', async () => {
    await app.registerAgent(project);
    await follow();
    await eventually(async () => {
      const before = cursor;
      expect(await follow()).toEqual([]);
      expect(cursor).toBe(before);
    });
    const agent = await app.registerAgent(project, 'late');
    expect((await follow()).map(({ id }) => id)).toEqual([agent.id]);
    expect(resets).toBe(1);
  });

  it('tells that a project token was revoked, and those that it created', async () => {
    const parent = await app.createToken(project.id, ['create:token', 'create:agent']);
    const child = await app.request<Token>('POST', `/v1/projects/${project.id}/tokens`, {
      as: { project: parent.token },
      body: { name: 'child', permissions: ['create:agent'] },
    });
    await follow();
    expect(of(child.body.token)).toMatchObject({ permissions: ['create:agent'], revoked: false });
    await app.request('PATCH', `/v1/project_tokens/${parent.id}`, {
      as: admin(),
      body: { permissions: ['create:token'] },
    });
    await follow();
    expect(of(child.body.token)).toMatchObject({ permissions: [], revoked: false });
    await app.request('DELETE', `/v1/project_tokens/${parent.id}`, { as: admin() });
    await follow();
    expect(of(parent.token)).toMatchObject({ revoked: true });
    expect(of(child.body.token)).toMatchObject({ revoked: true });
  });

  it('tells both values of a rotated token, and when the earlier one ends', async () => {
    const { id, token } = await app.createToken(project.id, ['create:agent']);
    await follow();
    const rotated = await app.request<Token>('POST', `/v1/project_tokens/${id}/rotate`, {
      as: admin(),
      body: { graceSeconds: 60 },
    });
    await follow();
    expect(of(token)).toMatchObject({ id, expiresAt: app.clock.now() + 60_000, revoked: false });
    expect(of(rotated.body.token)).toMatchObject({ id, expiresAt: null, revoked: false });
  });

  it('tells that tokens of agents ended: replaced by a later one, or deleted with the agent', async () => {
    const first = await app.registerAgent(project, 'web-01');
    await app.request('GET', '/v1/me', { as: { agent: first.token } });
    await follow();
    const second = await app.registerAgent(project, 'web-01');
    await app.request('GET', '/v1/me', { as: { agent: second.token } });
    await expect
      .poll(async () => {
        await follow();
        return of(first.token);
      })
      .toMatchObject({ kind: 'agent', id: null, revoked: true });
    expect(of(second.token)).toMatchObject({ id: first.id, revoked: false });
    await app.request('DELETE', `/v1/agents/${first.id}`, { as: admin() });
    await follow();
    expect(of(second.token)).toMatchObject({ id: first.id, revoked: true, deleted: true });
  });

  it('begins anew when a project token ends together with its agents', async () => {
    const { id, token } = await app.createToken(project.id, ['create:agent']);
    const agent = await app.registerAgent({ id: project.id, token });
    await follow();
    await app.request('POST', `/v1/project_tokens/${id}/revoke`, {
      as: admin(),
      body: { revokeAgents: true },
    });
    await follow();
    expect(resets).toBe(2);
    expect(of(token)).toMatchObject({ revoked: true });
    expect(of(agent.token)).toMatchObject({ revoked: true, deleted: false });
    await app.request('DELETE', `/v1/agents/${agent.id}`, { as: admin() });
    await follow();
    expect(of(agent.token)).toMatchObject({ revoked: true, deleted: false });
  });

  it('misses nothing that is registered while the list is read', async () => {
    const agents = await Promise.all(Array.from({ length: 20 }, () => app.registerAgent(project)));
    const registering = (async () => {
      const late: { readonly token: string }[] = [];
      for (let count = 0; count < 20; count += 1) late.push(await app.registerAgent(project));
      return late;
    })();
    for (let count = 0; count < 10; count += 1) await follow();
    const late = await registering;
    await follow();
    expect([...agents, ...late].filter(({ token }) => of(token) === undefined)).toEqual([]);
  });

  it('lists more agents than a page has', async () => {
    const many = await Promise.all(
      Array.from({ length: 501 }, (_, index) => app.registerAgent(project, `machine-${index}`, '')),
    );
    await follow();
    expect(many.filter(({ token }) => of(token) === undefined)).toEqual([]);
    expect(resets).toBe(1);
  });

  it.runIf(testEngine === 'postgres')(
    'tells once what has changed beside a transaction of another database that stays open',
    async () => {
      const elsewhere = new pg.Client({ connectionString: (await takeSupply('postgres')).url });
      await elsewhere.connect();
      await elsewhere.query('begin');
      await elsewhere.query('select pg_current_xact_id()');
      const agent = await app.registerAgent(project);
      await follow();
      expect(of(agent.token)).toMatchObject({ revoked: false });
      // Transactions of other tests end in the middle of a look, and are then not known to be of another database.
      await eventually(async () => expect(await follow()).toEqual([]));
      await elsewhere.end();
    },
  );

  it.runIf(testEngine === 'postgres')(
    'tells again what has changed beside a transaction of its own database, until that ends',
    async () => {
      const beside = new pg.Client({ connectionString: await prepareTestDatabase(app.dataDirectory) });
      await beside.connect();
      await beside.query('begin');
      await beside.query(
        `insert into credential_notes (project_id, kind, digest) values ('${project.id}', 'agent', 'late')`,
      );
      const agent = await app.registerAgent(project);
      await follow();
      expect((await follow()).map(({ id }) => id)).toContain(agent.id);
      // What an answer gives that knows the open transaction to be of another database.
      const { rows } = await beside.query<{ further: string }>(
        `select '3.${project.id}.c.' || position + 1 || '.' || position + 1 || '.' || noted_at || '.' as further
        from credential_notes where project_id = '${project.id}' and digest <> 'late' order by position desc limit 1`,
      );
      const further = rows[0]?.further;
      expect((await ask(further)).body).toMatchObject({ reset: false, items: [], cursor: further });
      await beside.query('commit');
      await beside.end();
      expect((await follow()).map(({ digest }) => digest)).toContain('late');
      await eventually(async () => expect(await follow()).toEqual([]));
    },
  );

  it.runIf(testEngine === 'postgres')(
    'reads nothing again that was noted on a server whose transactions have larger numbers',
    async () => {
      await changeRows(
        app.dataDirectory,
        `update credential_notes set position = 1000000000000 where project_id = '${project.id}'`,
      );
      await follow();
      await eventually(async () => expect(await follow()).toEqual([]));
      const agent = await app.registerAgent(project);
      expect((await follow()).map(({ id }) => id)).toContain(agent.id);
      await eventually(async () => expect(await follow()).toEqual([]));
    },
  );

  it('misses nothing that was revoked in a database that was restored from a backup, or to which the project moved', async () => {
    const doomed = await app.createToken(project.id, ['create:agent_error']);
    await follow();
    const [, , , , limit, notedAt] = (cursor ?? '').split('.').map(Number);
    // What was noted elsewhere, or was lost, had a number that is given here later.
    const there = Number(limit) + 3;
    await app.request('DELETE', `/v1/project_tokens/${doomed.id}`, { as: admin() });
    for (let count = 0; count < 10; count += 1) await app.createToken(project.id, ['create:agent_error']);
    cursor = `3.${project.id}.c.${there}.${there}.${Number(notedAt) - 1}.`;
    await follow();
    expect(resets).toBe(2);
    expect(of(doomed.token)).toMatchObject({ revoked: true });
  });

  it.runIf(testEngine === 'postgres')(
    'forgets what was noted on another server, whose numbers are given here one day',
    async () => {
      const notes = () =>
        readRows(app.dataDirectory, `select key from credential_notes where project_id = '${project.id}'`);
      const databaseUrl = await prepareTestDatabase(app.dataDirectory);
      const database = await openDatabase({
        dataDirectory: app.dataDirectory,
        databaseUrl,
        onConnectionError: () => undefined,
      });
      await deleteNotes(database, new AbortController().signal, 0);
      expect(await notes()).not.toEqual([]);
      await changeRows(
        app.dataDirectory,
        `update credential_notes set position = 1000000000000 where project_id = '${project.id}'`,
      );
      await deleteNotes(database, new AbortController().signal, 0);
      expect(await notes()).toEqual([]);
      await database.close();
    },
  );

  it('begins anew for a cursor whose notes may be removed, and for one of another database', async () => {
    await follow();
    const old = app.clock.now() - 40 * 86_400_000;
    await changeRows(app.dataDirectory, `update credential_notes set noted_at = ${old}`);
    await follow();
    const before = cursor;
    await app.registerAgent(project);
    await follow();
    expect(resets).toBeGreaterThan(1);
    expect(cursor).not.toBe(before);
    const { body } = await ask(`3.${project.id}.c.999999999999.999999999999.0.`);
    expect(body.reset).toBe(true);
  });

  it('begins anew for the cursor of another project', async () => {
    await follow();
    const foreign = cursor;
    const other = await app.createProject('other');
    const { token } = await app.createCoreInstance(other);
    const { body } = await ask(foreign, token);
    expect(body.reset).toBe(true);
    expect(body.items.map(({ digest }) => digest)).toContain(hash('sha256', other.token));
    expect((await ask(body.cursor, token)).body.reset).toBe(false);
  });

  const someProject = '0192f0a0-0000-7000-8000-000000000001';

  it.each([
    'nonsense',
    '1.c.1.1.',
    `2.${someProject}.c.1.1.`,
    `3.${someProject}.x.1.1.1.`,
    `3.${someProject}.a.1.1.1.'; drop table agents`,
  ])('refuses the cursor %s', async (given) => {
    const { status, body } = await ask(encodeURIComponent(given));
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_cursor' });
  });
});
