import type { Agent, AgentErrorResult, RegisteredAgent } from '@muster/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../config.ts';
import { callAgents } from '../testing/agent-calls.ts';
import { problemBody } from '../testing/problem-body.ts';
import { type Answer, startTestApp, type TestApp, type TestProject } from '../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;

/** At the log level of a service, so that reports take the way that they take there. */
async function start(config: Partial<Config> = {}): Promise<void> {
  app = await startTestApp({ config, logLevel: 'info' });
  agents = callAgents(app);
}

const machineID = 'edge-7';
const now = () => new Date(app.clock.now()).toISOString();

function register(
  project: TestProject,
  given: { readonly body?: object; readonly proof?: string; readonly headers?: Record<string, string> } = {},
): Promise<Answer<RegisteredAgent>> {
  const { body = {}, proof, headers = {} } = given;
  return app.request('POST', '/v1/agents', {
    as: { project: project.token, ...(proof === undefined ? {} : { agent: proof }) },
    body: { name: 'edge', machineID, ...body },
    headers,
  });
}

async function made(project: TestProject, given?: Parameters<typeof register>[1]): Promise<RegisteredAgent> {
  const { status, body } = await register(project, given);
  expect(status).toBe(201);
  return body;
}

const report = (agent: RegisteredAgent, error = 'no upstream connections available') =>
  app.request<AgentErrorResult>('POST', `/v1/agents/${agent.id}/errors`, {
    as: { agent: agent.token },
    body: { error },
  });

const reportByMachine = (project: TestProject) =>
  app.request('POST', `/v1/machines/${machineID}/errors?name=other`, {
    as: { project: project.token },
    body: { error: 'no upstream connections available' },
  });

async function shown(id: string): Promise<Agent> {
  return agents.get(id);
}

describe('registering a machine again, with MUSTER_REGISTRATION=open', () => {
  beforeAll(() => start());
  afterAll(() => app.close());

  it('leaves the token before it valid until the new one was used with success', async () => {
    const project = await app.createProject();
    const before = await made(project);
    expect(await agents.tryToken(before.token)).toBe(200);
    const next = await made(project);
    expect((await report(before)).status).toBe(201);
    // Refused, so that it does not count; what it would end, would have ended before the next change of the agent.
    expect((await agents.update(next, { name: '' })).status).toBe(422);
    expect((await agents.update(before, { version: '1' })).status).toBe(204);
    expect(await agents.tryToken(before.token)).toBe(200);

    expect((await report(next)).status).toBe(201);
    await agents.untilEnded(before.token);
    expect((await report(before)).body).toEqual(problemBody('invalid_credential'));
    for (let time = 0; time < 3; time += 1) expect((await report(next)).status).toBe(201);
  });

  it('locks nobody out, however often it is done, as long as no new token is used', async () => {
    const project = await app.createProject();
    const agent = await made(project);
    const others: RegisteredAgent[] = [];
    for (let time = 0; time < 25; time += 1) others.push(await made(project));
    expect((await report(agent)).status).toBe(201);
    expect((await agents.update(agent, { version: '2' })).status).toBe(204);
    const last = others.at(-1) ?? agent;
    expect((await report(last)).status).toBe(201);
    await agents.untilEnded(agent.token);
  });

  it('does not end a token that is newer than the one that is used', async () => {
    const project = await app.createProject();
    const [first, second, third] = [await made(project), await made(project), await made(project)];
    expect(await agents.tryToken(second.token)).toBe(200);
    await agents.untilEnded(first.token);
    expect(await agents.tryToken(third.token)).toBe(200);
    await agents.untilEnded(second.token);
    expect(await agents.tryToken(third.token)).toBe(200);
  });

  it('answers nothing of what is stored, nor does the token that it makes', async () => {
    const project = await app.createProject();
    const rawConfig = '[OUTPUT]\n    name  canary-of-the-first\n';
    const first = await made(project, { body: { rawConfig, tags: ['canary'], metadata: { a: 'canary' } } });
    const answer = await register(project, { body: { name: 'thief' } });
    expect(answer.body).toEqual({
      id: first.id,
      token: expect.any(String),
      name: 'thief',
      createdAt: first.createdAt,
    });
    const as = { agent: answer.body.token };
    for (const url of ['', '/config_history', '/errors'].map((path) => `/v1/agents/${first.id}${path}`)) {
      const refused = await app.request('GET', url, { as });
      expect(refused.status).toBe(403);
      expect(refused.text).not.toContain('canary');
    }
    expect((await app.request('GET', '/v1/me', { as })).text).not.toContain('canary');
  });

  it('shows when and from where it was done without the token of the agent, in lists too', async () => {
    const project = await app.createProject();
    const { id, token } = await made(project);
    const never = { reregisteredAt: null, reregisteredFrom: null };
    expect(await shown(id)).toMatchObject(never);
    await made(project, { proof: token });
    expect(await shown(id)).toMatchObject(never);
    app.clock.advance(60_000);
    await made(project);
    const again = { reregisteredAt: now(), reregisteredFrom: '127.0.0.1' };
    expect(await shown(id)).toMatchObject(again);
    app.clock.advance(60_000);
    await made(project, { proof: token });
    expect((await agents.list(project.id)).body).toEqual([expect.objectContaining({ id, ...again })]);
  });

  it('takes a token of another agent for no proof', async () => {
    const project = await app.createProject();
    const { id } = await made(project);
    const other = await made(project, { body: { machineID: 'other' } });
    await made(project, { proof: other.token });
    expect(await shown(id)).toMatchObject({ reregisteredAt: now() });
  });

  it('is no second time for a machine that only reported before', async () => {
    const project = await app.createProject();
    await reportByMachine(project);
    const { id } = await made(project);
    expect(await shown(id)).toMatchObject({ reregisteredAt: null });
  });

  it('counts its configuration at once: errors of the one before are stored again', async () => {
    const project = await app.createProject();
    const before = await made(project, { body: { rawConfig: 'A' } });
    const { body: standing } = await report(before);
    // As an agent that keeps no session, at its start.
    await made(project, { body: { rawConfig: 'A' } });
    expect((await report(before)).body.id).toBe(standing.id);
    await made(project, { body: { rawConfig: 'B' } });
    const created = await report(before);
    expect(created.headers['muster-agent-error']).toBe('created');
    const history = await agents.listConfigs(before.id);
    expect(history.body.map(({ rawConfig }) => rawConfig)).toEqual(['B', 'A']);
  });
});

describe('registering a machine again behind a proxy', () => {
  afterEach(() => app.close());

  it.each([
    [{ trustProxy: '127.0.0.1' }, '192.0.2.7', '192.0.2.7'],
    [{ trustProxy: '127.0.0.1' }, '2001:db8::7', '2001:db8::7'],
    [{ trustProxy: '127.0.0.1' }, 'nonsense', null],
    [{}, '192.0.2.7', '127.0.0.1'],
  ])('with %j and X-Forwarded-For: %s is from %s', async (config, forwarded, from) => {
    await start(config);
    const project = await app.createProject();
    const { id } = await made(project);
    await made(project, { headers: { 'x-forwarded-for': forwarded } });
    expect(await shown(id)).toMatchObject({ reregisteredAt: now(), reregisteredFrom: from });
  });
});

describe('registering a machine again, with MUSTER_REGISTRATION=once', () => {
  beforeAll(() => start({ registration: 'once' }));
  afterAll(() => app.close());

  const refusal = problemBody(
    'machine_registered',
    "An agent is registered for this machine id already, and this installation lets a machine be registered once (MUSTER_REGISTRATION=once). Send the agent's own token as X-Agent-Token beside the project token, or have an operator run: muster agent release NAME",
  );

  function release(id: string, as: Parameters<TestApp['request']>[2] = { as: { access: app.admin } }) {
    return app.request('POST', `/v1/agents/${id}/release`, as);
  }

  it('is refused, and changes nothing', async () => {
    const project = await app.createProject();
    const agent = await made(project, { body: { rawConfig: 'A' } });
    const before = await shown(agent.id);
    app.clock.advance(1_000);
    const answer = await register(project, { body: { name: 'thief', rawConfig: 'B' } });
    expect(answer.status).toBe(409);
    expect(answer.body).toEqual(refusal);
    expect(answer.text).not.toContain(agent.id);
    expect(await shown(agent.id)).toEqual(before);
    expect((await report(agent)).status).toBe(201);
  });

  it('takes a token of the agent beside the project token, and is not flagged', async () => {
    const project = await app.createProject();
    const agent = await made(project);
    const next = await made(project, { proof: agent.token, body: { rawConfig: 'B' } });
    expect(next.id).toBe(agent.id);
    expect(await shown(agent.id)).toMatchObject({ rawConfig: 'B', reregisteredAt: null });
    expect((await report(next)).status).toBe(201);
    await agents.untilEnded(agent.token);
    const other = await made(project, { body: { machineID: 'other' } });
    for (const proof of [agent.token, other.token, 'nonsense', `mst_a_…${next.token.slice(-4)}`]) {
      expect((await register(project, { proof })).body).toEqual(refusal);
    }
  });

  it('is let in once after an operator has released the machine', async () => {
    const project = await app.createProject();
    const agent = await made(project);
    expect(await release(agent.id)).toMatchObject({ status: 204, text: '' });
    expect(await shown(agent.id)).toMatchObject({ releasedAt: now() });
    const next = await made(project);
    expect(next.id).toBe(agent.id);
    expect(await shown(agent.id)).toMatchObject({ releasedAt: null, reregisteredAt: now() });
    expect((await report(agent)).status).toBe(201);
    expect((await register(project)).body).toEqual(refusal);
  });

  it('is released by a person alone: agents have project tokens with update:agent too', async () => {
    const project = await app.createProject();
    const agent = await made(project);
    const { token } = await app.createToken(project.id, ['*']);
    for (const as of [{ project: token }, { agent: agent.token }]) {
      expect((await release(agent.id, { as })).body).toEqual(
        problemBody('credential_kind_not_accepted', 'This route takes Authorization: Bearer.'),
      );
    }
    expect((await register(project)).body).toEqual(refusal);
  });

  it('lets one of many in that register a machine for the first time at once', async () => {
    const project = await app.createProject();
    const answers = await Promise.all(Array.from({ length: 20 }, () => register(project)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array<number>(19).fill(409)]);
  });

  it('lets others report for the machine, which changes nothing of who it is', async () => {
    const project = await app.createProject();
    const agent = await made(project, { body: { rawConfig: 'A', tags: ['edge'] } });
    const before = await shown(agent.id);
    const { token } = await app.createToken(project.id, ['create:agent', 'create:agent_error']);
    for (let time = 0; time < 3; time += 1) {
      expect((await reportByMachine({ id: project.id, token })).status).toBe(201);
    }
    expect(await shown(agent.id)).toEqual({ ...before, status: 'unhealthy' });
    expect((await register(project)).body).toEqual(refusal);
    expect(await agents.tryToken(agent.token)).toBe(200);
  });

  it('is not asked of a machine that only reported before, nor of one whose agent was deleted', async () => {
    const project = await app.createProject();
    await reportByMachine(project);
    const agent = await made(project);
    expect((await register(project)).body).toEqual(refusal);
    await agents.delete(agent.id);
    expect((await made(project)).id).not.toBe(agent.id);
  });
});
