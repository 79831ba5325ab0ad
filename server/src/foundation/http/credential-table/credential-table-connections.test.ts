import type { AddressInfo } from 'node:net';
import type { Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../../testing/calls/agent-calls.ts';
import { type Row, rows, send, type Target, titled, urlOf } from '../../../testing/calls/credential-table.ts';
import { everyGrant, isCovered } from '../../../testing/calls/every-grant.ts';
import {
  type Answer,
  type Credentials,
  startTestApp,
  type TestApp,
  type TestProject,
} from '../../../testing/start-test-app.ts';

/**
 * Over a connection, the shortcut answers reports with a remembered credential before the framework. It must not accept a caller that the framework
 * refuses: each cell is tried twice over a connection, and once without one.
 */
let app: TestApp;
let address: string;
let project: TestProject;

beforeAll(async () => {
  app = await startTestApp({ logLevel: 'info' });
  const { http } = app.app;
  await http.listen({ host: '127.0.0.1', port: 0 });
  address = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`; // it listens on TCP
  project = await app.createProject();
});

afterAll(() => app.close());

const reportRows = rows.filter(({ method, path }) => method === 'POST' && path.endsWith('/errors'));

function headersOf({ access, project: ofProject, agent }: Credentials): Record<string, string> {
  return {
    ...(access === undefined ? {} : { authorization: `Bearer ${access}` }),
    ...(ofProject === undefined ? {} : { 'x-project-token': ofProject }),
    ...(agent === undefined ? {} : { 'x-agent-token': agent }),
  };
}

async function sendOverConnection(row: Row, target: Target, as: Credentials) {
  const answer = await fetch(address + urlOf(row, target), {
    method: row.method,
    headers: { 'content-type': 'application/json', ...headersOf(as) },
    body: JSON.stringify(row.body),
  });
  return {
    status: answer.status,
    text: await answer.text(),
    challenge: answer.headers.get('www-authenticate'),
  };
}

/** The status of the three answers, which must be the same. */
async function tryAll(row: Row, target: Target, as: Credentials): Promise<number> {
  const tries = [await sendOverConnection(row, target, as), await sendOverConnection(row, target, as)];
  const without: Answer = await send(app, row, target, { as });
  const expected = {
    status: without.status,
    text: withoutRequestID(without.text),
    challenge: without.headers['www-authenticate'] ?? null,
  };
  for (const one of tries) expect({ ...one, text: withoutRequestID(one.text) }).toEqual(expected);
  return without.status;
}

function withoutRequestID(text: string): string {
  return text.replace(/"requestID":"[^"]*"/, '');
}

async function issue(permissions: readonly string[], expiresAt: string | null = null): Promise<Token> {
  const { body } = await app.request<Token>('POST', `/v1/projects/${project.id}/tokens`, {
    as: { access: app.admin },
    body: { name: 'issued', permissions, expiresAt },
  });
  return body;
}

describe.each(titled(reportRows))('%s, over a connection', (_, row) => {
  let target: Target;

  beforeAll(async () => {
    target = await row.target(app, project);
  });

  it('accepts exactly the single permissions and wildcards that cover the needed ones', async () => {
    for (const grant of [...everyGrant, undefined]) {
      const { token } = await issue(grant === undefined ? [] : [grant]);
      const isAllowed = row.needs.every((permission) => grant !== undefined && isCovered(permission, grant));
      expect([grant, await tryAll(row, target, { project: token })]).toEqual([grant, isAllowed ? 201 : 403]);
    }
  });

  it('refuses callers without a valid credential', async () => {
    const { token } = await issue(['*']);
    expect(await tryAll(row, target, {})).toBe(401);
    expect(await tryAll(row, target, { access: app.admin })).toBe(403);
    for (const invalid of ['nonsense', `${token}x`, 'mst_p_...wXyZ']) {
      expect(await tryAll(row, target, { project: invalid })).toBe(401);
    }
  });

  it('uses the first credential of a listed kind', async () => {
    const { token } = await issue(['*']);
    const { token: agent } = await app.registerAgent(project);
    expect(await tryAll(row, target, { project: token, agent: 'nonsense', access: 'nonsense' })).toBe(201);
    expect(await tryAll(row, target, { project: 'nonsense', agent, access: app.admin })).toBe(401);
    const { token: weak } = await issue([]);
    expect(await tryAll(row, target, { project: weak, agent, access: app.admin })).toBe(403);
  });

  describe('refuses a credential that was remembered', () => {
    async function remembered(expiresAt: string | null = null): Promise<Token> {
      const token = await issue(['*'], expiresAt);
      expect(await tryAll(row, target, { project: token.token })).toBe(201);
      return token;
    }

    it('when it is revoked', async () => {
      const { id, token } = await remembered();
      await app.request('DELETE', `/v1/project_tokens/${id}`, { as: { access: app.admin } });
      expect(await tryAll(row, target, { project: token })).toBe(401);
    });

    it('when it expires', async () => {
      const { token } = await remembered(new Date(app.clock.now() + 1_000).toISOString());
      app.clock.advance(1_000);
      expect(await tryAll(row, target, { project: token })).toBe(401);
    });

    it('when its permissions are taken away', async () => {
      const { id, token } = await remembered();
      await app.request('PATCH', `/v1/project_tokens/${id}`, {
        as: { access: app.admin },
        body: { permissions: ['create:token'] },
      });
      expect(await tryAll(row, target, { project: token })).toBe(403);
    });

    it('when its maker is revoked', async () => {
      const maker = await issue(['*']);
      const { body: child } = await app.request<Token>('POST', `/v1/projects/${project.id}/tokens`, {
        as: { project: maker.token },
        body: { name: 'child', permissions: ['create:*'] },
      });
      expect(await tryAll(row, target, { project: child.token })).toBe(201);
      await app.request('DELETE', `/v1/project_tokens/${maker.id}`, { as: { access: app.admin } });
      expect(await tryAll(row, target, { project: child.token })).toBe(401);
    });

    it('when its project is deleted', async () => {
      const doomed = await app.createProject();
      const { token } = await app.createToken(doomed.id, ['*']);
      const inside = await row.target(app, doomed);
      expect(await tryAll(row, inside, { project: token })).toBe(201);
      await app.request('DELETE', `/v1/projects/${doomed.id}`, { as: { access: app.admin } });
      expect(await tryAll(row, inside, { project: token })).toBe(401);
    });
  });
});

describe('POST /v1/agents/{agentID}/errors, over a connection', () => {
  const [row] = reportRows.filter(({ path }) => path.includes('{agentID}'));

  async function tryAgents(target: Target, as: Credentials): Promise<number> {
    if (row === undefined) throw new Error('the table lacks the route');
    return tryAll(row, target, as);
  }

  it('lets an agent report only about itself, even if its token is remembered', async () => {
    const other = await app.createProject();
    const agent = await app.registerAgent(project);
    const own = { params: { agentID: agent.id } };
    expect(await tryAgents(own, { agent: agent.token })).toBe(201);
    for (const elsewhere of [project, other]) {
      const { id } = await app.registerAgent(elsewhere);
      expect(await tryAgents({ params: { agentID: id } }, { agent: agent.token })).toBe(404);
    }
  });

  it('lets a project token report only about agents of its project, including errors that are already open', async () => {
    const other = await app.createProject();
    const foreign = await app.registerAgent(other);
    const target = { params: { agentID: foreign.id } };
    expect(await tryAgents(target, { agent: foreign.token })).toBe(201);
    expect(await tryAgents(target, { project: (await issue(['*'])).token })).toBe(404);
  });

  it('refuses a deleted agent, and a token that was replaced', async () => {
    const agent = await app.registerAgent(project, 'replaced');
    const target = { params: { agentID: agent.id } };
    expect(await tryAgents(target, { agent: agent.token })).toBe(201);
    const last = await app.registerAgent(project, 'replaced');
    expect(await tryAgents(target, { agent: agent.token })).toBe(201);
    expect(await tryAgents(target, { agent: last.token })).toBe(201);
    await callAgents(app).untilEnded(agent.token);
    expect(await tryAgents(target, { agent: agent.token })).toBe(401);
    await app.request('DELETE', `/v1/agents/${agent.id}`, { as: { access: app.admin } });
    expect(await tryAgents(target, { agent: last.token })).toBe(410);
  });
});
