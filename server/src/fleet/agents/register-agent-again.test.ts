import type { Agent, AgentErrorResult, RegisteredAgent } from '@muster/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../foundation/settings/config.ts';
import { callAgents } from '../../testing/calls/agent-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { type Answer, startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;

/** At the log level of a real service, so that reports take the same path as there. */
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

  it('keeps the previous token valid until the new one was used successfully', async () => {
    const project = await app.createProject();
    const before = await made(project);
    expect(await agents.tryToken(before.token)).toBe(200);
    const next = await made(project);
    expect((await report(before)).status).toBe(201);
    // Refused, so it does not count. If it counted, the previous token would end before the next update of the agent.
    expect((await agents.update(next, { name: '' })).status).toBe(422);
    expect((await agents.update(before, { version: '1' })).status).toBe(204);
    expect(await agents.tryToken(before.token)).toBe(200);

    expect((await report(next)).status).toBe(201);
    await agents.untilEnded(before.token);
    expect((await report(before)).body).toEqual(problemBody('invalid_credential'));
    for (let time = 0; time < 3; time += 1) expect((await report(next)).status).toBe(201);
  });

  it('locks no agent out, for any number of registrations, as long as no new token is used', async () => {
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

  it('does not end tokens that are newer than the used one', async () => {
    const project = await app.createProject();
    const [first, second, third] = [await made(project), await made(project), await made(project)];
    expect(await agents.tryToken(second.token)).toBe(200);
    await agents.untilEnded(first.token);
    expect(await agents.tryToken(third.token)).toBe(200);
    await agents.untilEnded(second.token);
    expect(await agents.tryToken(third.token)).toBe(200);
  });

  it('returns no stored data, and its token cannot read any', async () => {
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

  it("shows when and from where it was done without the agent's token, also in lists", async () => {
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

  it("does not accept another agent's token as proof", async () => {
    const project = await app.createProject();
    const { id } = await made(project);
    const other = await made(project, { body: { machineID: 'other' } });
    await made(project, { proof: other.token });
    expect(await shown(id)).toMatchObject({ reregisteredAt: now() });
  });

  it('is a first registration for a machine that has only reported so far', async () => {
    const project = await app.createProject();
    await reportByMachine(project);
    const { id } = await made(project);
    expect(await shown(id)).toMatchObject({ reregisteredAt: null });
  });

  it('makes its configuration current at once: errors of the previous one are stored again', async () => {
    const project = await app.createProject();
    const before = await made(project, { body: { rawConfig: 'A' } });
    const { body: open } = await report(before);
    // Like an agent without a stored session at its start.
    await made(project, { body: { rawConfig: 'A' } });
    expect((await report(before)).body.id).toBe(open.id);
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
  ])('with %j and X-Forwarded-For: %s shows the address %s', async (config, forwarded, from) => {
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
    "An agent is already registered for this machine id, and this installation allows only one registration per machine (MUSTER_REGISTRATION=once). Send the agent's own token as X-Agent-Token together with the project token, or ask an operator to run: muster agent release NAME",
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

  it("accepts the agent's token beside the project token, and sets no flag", async () => {
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

  it('is accepted once after an operator has released the machine', async () => {
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

  it('can only be released by a user, because agents may also have project tokens with update:agent', async () => {
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

  it('accepts one of many concurrent first registrations of a machine', async () => {
    const project = await app.createProject();
    const answers = await Promise.all(Array.from({ length: 20 }, () => register(project)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array<number>(19).fill(409)]);
  });

  it('allows reports by others for the machine, which do not change its identity', async () => {
    const project = await app.createProject();
    const agent = await made(project, { body: { rawConfig: 'A', tags: ['edge'] } });
    const before = await shown(agent.id);
    const { token } = await app.createToken(project.id, ['create:agent', 'create:agent_error']);
    for (let time = 0; time < 3; time += 1) {
      expect((await reportByMachine({ id: project.id, token })).status).toBe(201);
    }
    expect(await shown(agent.id)).toEqual({
      ...before,
      status: 'unhealthy',
      statusReason: 'Has 1 open error of its current configuration.',
      openErrorsCount: 1,
      openError: expect.objectContaining({ error: 'no upstream connections available' }),
    });
    expect((await register(project)).body).toEqual(refusal);
    expect(await agents.tryToken(agent.token)).toBe(200);
  });

  it('does not apply to a machine that has only reported so far, nor to one whose agent was deleted', async () => {
    const project = await app.createProject();
    await reportByMachine(project);
    const agent = await made(project);
    expect((await register(project)).body).toEqual(refusal);
    await agents.delete(agent.id);
    expect((await made(project)).id).not.toBe(agent.id);
  });
});
