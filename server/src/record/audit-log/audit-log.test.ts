import { hash } from 'node:crypto';
import { type AuditChain, type AuditEntry, auditText } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nextPage } from '../../testing/calls/agent-error-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { eventually } from '../../testing/eventually.ts';
import { readAuditLog } from '../../testing/rows/read-audit-log.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

const zeros = '0'.repeat(64);
const day = 86_400_000;

let app: TestApp;
let project: TestProject;

beforeAll(async () => {
  app = await startTestApp({ config: { auditDays: 30 } });
  project = await app.createProject('edge');
});

afterAll(() => app.close());

async function get<Body>(url: string, as: object = { access: app.admin }): Promise<Body> {
  const { status, body } = await app.request<Body>('GET', url, { as });
  expect(status).toBe(200);
  return body;
}

async function exportOf(url: string): Promise<unknown[]> {
  const { status, text, headers } = await app.request('GET', url, { as: { access: app.admin } });
  expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson']);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

function rename(id: string, name: string) {
  return app.request('PATCH', `/v1/projects/${id}`, { as: { access: app.admin }, body: { name } });
}

describe('GET /v1/projects/{projectID}/audit_log', () => {
  it('lists entries newest first, in pages', async () => {
    const { id } = await app.createProject('paged');
    for (const name of ['a', 'b', 'c']) await rename(id, name);
    const first = await app.request<AuditEntry[]>('GET', `/v1/projects/${id}/audit_log?last=2`, {
      as: { access: app.admin },
    });
    expect(first.body.map(({ after }) => after)).toEqual([{ name: 'c' }, { name: 'b' }]);
    const rest = await get<AuditEntry[]>(nextPage(first) ?? '');
    expect(rest.map(({ action }) => action)).toEqual(['project.updated', 'token.created']);
  });

  it('filters by actor, action, target and time', async () => {
    const { id } = await app.createProject('filtered');
    const operator = await app.createToken(id, ['create:token', 'delete:token']);
    const since = new Date(app.clock.now()).toISOString();
    app.clock.advance(1_000);
    const until = new Date(app.clock.now()).toISOString();
    const { body: token } = await app.request<{ id: string }>('POST', `/v1/projects/${id}/tokens`, {
      as: { project: operator.token },
      body: { name: 'made', permissions: [] },
    });
    await app.request('DELETE', `/v1/project_tokens/${token.id}`, { as: { project: operator.token } });
    const list = async (query: string) =>
      (await get<AuditEntry[]>(`/v1/projects/${id}/audit_log?${query}`)).map(({ action }) => action);
    expect(await list(`actor_id=${operator.id}`)).toEqual(['token.revoked', 'token.created']);
    expect(await list('action=token.revoked')).toEqual(['token.revoked']);
    expect(await list('action=project.*')).toEqual(['project.created']);
    expect(await list(`target_id=${token.id}&action=token.created`)).toEqual(['token.created']);
    expect(await list(`since=${until}`)).toEqual(['token.revoked', 'token.created']);
    expect(await list(`since=${since}&until=${until}&action=project.*`)).toEqual(['project.created']);
    const wrong = await app.request('GET', `/v1/projects/${id}/audit_log?action=tokens`, {
      as: { access: app.admin },
    });
    expect([wrong.status, wrong.body]).toMatchObject([400, { code: 'invalid_query_parameter' }]);
  });

  it('is for owners, and for tokens that they have given both permissions, not for viewers and operators', async () => {
    const url = `/v1/projects/${project.id}/audit_log`;
    for (const grants of [['read:*'], ['read:audit_log'], ['update:member']]) {
      const { token } = await app.createToken(project.id, grants);
      const { status } = await app.request('GET', url, { as: { project: token } });
      expect([grants, status]).toEqual([grants, 403]);
    }
    const { token } = await app.createToken(project.id, ['read:audit_log', 'update:member']);
    expect((await get<AuditEntry[]>(url, { project: token })).length).toBeGreaterThan(0);
  });
});

describe('GET /v1/audit_log', () => {
  it('has the logs of all projects, also of deleted ones, and what belongs to no project', async () => {
    const { id } = await app.createProject('short-lived');
    await app.request('DELETE', `/v1/projects/${id}`, { as: { access: app.admin } });
    const actions = (await get<AuditEntry[]>(`/v1/audit_log?project_id=${id}`)).map(({ action }) => action);
    expect(actions).toEqual(['project.deleted', 'token.created', 'project.created']);
    const missing = await app.request('GET', `/v1/projects/${id}/audit_log`, { as: { access: app.admin } });
    expect([missing.status, missing.body]).toMatchObject([404, { code: 'not_found' }]);
    const all = await readAuditLog(app);
    expect(new Set(all.map(({ projectID }) => projectID))).toEqual(
      new Set([null, ...all.flatMap(({ projectID }) => projectID ?? [])]),
    );
    expect(all.find(({ action }) => action === 'user.created')).toMatchObject({
      projectID: null,
      actor: { kind: 'system', id: null, name: 'start of the service' },
      after: { name: 'administrator' },
    });
  });
});

describe('the export of a log', () => {
  it('begins with its chain, and everybody can compute its digests', async () => {
    const { id } = await app.createProject('exported');
    for (const name of ['ä "quoted"', '日本 \\ 🦊']) await rename(id, name);
    const [chain, ...entries] = (await exportOf(`/v1/projects/${id}/audit_log/export`)) as [
      AuditChain,
      ...AuditEntry[],
    ];
    expect(chain).toEqual({
      format: 'muster-audit-log/1',
      id,
      projectID: id,
      anchor: { sequence: 0, digest: zeros },
      head: { sequence: 4, digest: entries.at(-1)?.digest },
      removedAt: null,
    });
    expect(await get(`/v1/projects/${id}/audit_log/chain`)).toEqual(chain);
    expect(entries.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(entries.map(({ previousDigest }) => previousDigest)).toEqual([
      zeros,
      ...entries.slice(0, -1).map(({ digest }) => digest),
    ]);
    expect(entries.map(({ digest }) => digest)).toEqual(
      // An entry as it was parsed: `unknown` in its type is JSON.
      entries.map((entry) => hash('sha256', auditText(entry as never))),
    );
    expect((await get<AuditEntry[]>(`/v1/projects/${id}/audit_log`)).reverse()).toEqual(entries);
  });

  it('continues after an entry, in portions', async () => {
    const { id } = await app.createProject('continued');
    await rename(id, 'other');
    const url = `/v1/projects/${id}/audit_log/export`;
    const [, first, second, third] = (await exportOf(url)) as AuditEntry[];
    const [chain, ...rest] = await exportOf(`${url}?after=1&limit=1`);
    expect(chain).toMatchObject({ anchor: { sequence: 1, digest: first?.digest }, head: { sequence: 3 } });
    expect(rest).toEqual([second]);
    expect((await exportOf(`${url}?after=2`)).slice(1)).toEqual([third]);
    expect(await exportOf(`${url}?after=3`)).toHaveLength(1);
    const beyond = await app.request('GET', `${url}?after=4`, { as: { access: app.admin } });
    expect([beyond.status, beyond.body]).toEqual([
      404,
      problemBody('not_found', 'The audit log has no entry 4: its entries are 1 to 3.'),
    ]);
  });

  it('of the installation has every log, and each one alone', async () => {
    const lines = (await exportOf('/v1/audit_log/export')) as { id: string; format?: string }[];
    const chains = await get<AuditChain[]>('/v1/audit_log/chains?last=1000');
    expect(lines.filter(({ format }) => format !== undefined).map(({ id }) => id)).toEqual(
      chains.map(({ id }) => id),
    );
    const zero = chains.at(-1);
    expect(zero).toMatchObject({ id: '00000000-0000-0000-0000-000000000000', projectID: null });
    const [chain, ...entries] = await exportOf(`/v1/audit_log/export?project_id=${zero?.id}&limit=1`);
    expect([chain, entries]).toEqual([zero, [expect.objectContaining({ sequence: 1, projectID: null })]]);
    const missing = await app.request('GET', '/v1/audit_log/export?after=1', { as: { access: app.admin } });
    expect(missing.status).toBe(400);
  });
});

describe('what a whole fleet does', () => {
  it('is one entry with a count, a moment later', async () => {
    const fleet = await app.createProject('fleet');
    const machines = ['web-01', 'web-02', 'web-03'];
    const agents = [];
    for (const machine of machines) agents.push(await app.registerAgent(fleet, machine));
    for (const agent of agents) {
      await app.request('PATCH', `/v1/agents/${agent.id}`, {
        as: { agent: agent.token },
        body: { rawConfig: '[INPUT]\n  name mem\n', version: '5.1.1' },
      });
    }
    const list = async () =>
      (await get<AuditEntry[]>(`/v1/projects/${fleet.id}/audit_log?action=agent.*`)).map(
        ({ action, actor, target, after }) => ({ action, actor, target, after }),
      );
    expect(await list()).toEqual([]);
    app.clock.advance(1_000);
    expect(await list()).toEqual([
      {
        action: 'agent.configuration_changed',
        actor: { kind: 'agent', id: null, name: null, credentialID: null },
        target: { kind: 'agent', id: null, name: null },
        after: {
          agentsCount: 3,
          agentIDs: agents.map(({ id }) => id),
          fields: ['rawConfig', 'version'],
          configID: null,
        },
      },
    ]);
    // By machine id, with the token of the project.
    await app.registerAgent(fleet, 'web-01', '[INPUT]\n  name disk\n');
    app.clock.advance(1_000);
    expect((await list())[0]).toMatchObject({
      actor: { kind: 'project_token', name: 'default' },
      target: { kind: 'agent', id: agents[0]?.id, name: 'web-01' },
      after: { configID: expect.any(String) },
    });
  });

  it('is not recorded if an agent only describes itself', async () => {
    const fleet = await app.createProject('quiet');
    const agent = await app.registerAgent(fleet);
    await app.request('PATCH', `/v1/agents/${agent.id}`, {
      as: { agent: agent.token },
      body: { os: 'linux' },
    });
    app.clock.advance(1_000);
    expect(await get(`/v1/projects/${fleet.id}/audit_log?action=agent.*`)).toEqual([]);
  });
});

describe('denied requests', () => {
  it('are one entry for each caller and route, a minute after the first one', async () => {
    const { id } = await app.createProject('denied');
    const { token, id: tokenID } = await app.createToken(id, ['read:agent']);
    for (let count = 0; count < 5; count += 1) {
      await app.request('DELETE', `/v1/project_tokens/${tokenID}`, { as: { project: token } });
    }
    await app.request('GET', `/v1/projects/${id}/tokens`, { as: { project: token } });
    const list = () => get<AuditEntry[]>(`/v1/projects/${id}/audit_log?action=request.denied`);
    expect(await list()).toEqual([]);
    const at = new Date(app.clock.now()).toISOString();
    app.clock.advance(60_000);
    const actor = { kind: 'project_token', id: tokenID, name: 'test', credentialID: null };
    const after = { code: 'permission_denied', firstAt: at, lastAt: at };
    expect(await list()).toMatchObject([
      { actor, target: { kind: 'route', id: 'listTokens', name: null }, after: { ...after, count: 1 } },
      {
        actor,
        address: '127.0.0.1',
        target: { kind: 'route', id: 'revokeToken', name: null },
        after: { ...after, count: 5 },
      },
    ]);
  });

  it('are no entries if they got a 401 or a 404', async () => {
    const { id } = await app.createProject('undenied');
    await app.request('GET', `/v1/projects/${id}/tokens`, { as: { access: 'mst_u_wrong' } });
    await app.request('GET', `/v1/projects/${id}/tokens`, { as: { project: project.token } });
    app.clock.advance(60_000);
    expect(await get(`/v1/projects/${id}/audit_log?action=request.denied`)).toEqual([]);
  });
});

describe('entries that are older than MUSTER_AUDIT_DAYS', () => {
  it('are removed, and the rest can still be verified', async () => {
    const { id } = await app.createProject('old');
    app.clock.advance(20 * day);
    await rename(id, 'renamed');
    const url = `/v1/projects/${id}/audit_log`;
    const [kept, last] = await get<AuditEntry[]>(url);
    app.clock.advance(20 * day);
    // The deletion of a project starts a removal of what is too old.
    const { id: removed } = await app.createProject('removed');
    await app.request('DELETE', `/v1/projects/${removed}`, { as: { access: app.admin } });
    await eventually(async () => expect(await get(url)).toEqual([kept]));
    expect(await exportOf(`${url}/export`)).toEqual([
      {
        format: 'muster-audit-log/1',
        id,
        projectID: id,
        anchor: { sequence: 2, digest: last?.digest },
        head: { sequence: 3, digest: kept?.digest },
        removedAt: new Date(app.clock.now()).toISOString(),
      },
      kept,
    ]);
    expect(kept?.previousDigest).toBe(last?.digest);
    await rename(id, 'later');
    const [newest] = await get<AuditEntry[]>(url);
    expect(newest).toMatchObject({ sequence: 4, previousDigest: kept?.digest });
  });
});
