import type { Token, TokenUsage } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Replicas, startReplicas } from '../../testing/start-replicas.ts';
import type { TestApp, TestProject } from '../../testing/start-test-app.ts';

let replicas: Replicas;
let project: TestProject;

beforeAll(async () => {
  // At the log level of a real service, so that reports take the same path as there.
  replicas = await startReplicas({ logLevel: 'info', config: { trustProxy: '127.0.0.1' } });
  const { body } = await replicas.one.request<TestProject>('POST', '/v1/projects', {
    as: { access: replicas.admin },
    body: { name: 'edge' },
  });
  project = body;
});

afterAll(() => replicas.close());

async function issue(permissions: readonly string[] = ['read:project']): Promise<Token> {
  const { body } = await replicas.one.request<Token>('POST', `/v1/projects/${project.id}/tokens`, {
    as: { access: replicas.admin },
    body: { name: 'ci', permissions },
  });
  return body;
}

/** The usage after every replica has written its part. */
async function usageOf({ id }: Token): Promise<TokenUsage> {
  const answers: TokenUsage[] = [];
  for (const app of [replicas.other, replicas.one]) {
    const { body } = await app.request<TokenUsage>('GET', `/v1/project_tokens/${id}/usage`, {
      as: { access: replicas.admin },
    });
    answers.push(body);
  }
  const [, last] = answers;
  if (last === undefined) throw new Error('nothing was answered');
  return last;
}

interface Sent {
  readonly from?: string;
  readonly agent?: string;
  readonly on?: TestApp;
}

const headersOf = ({ from = '192.0.2.1', agent = 'curl/8' }: Sent) => ({
  'x-forwarded-for': from,
  'user-agent': agent,
});

async function use({ token }: Token, sent: Sent = {}): Promise<void> {
  const { status } = await (sent.on ?? replicas.one).request('GET', `/v1/projects/${project.id}`, {
    as: { project: token },
    headers: headersOf(sent),
  });
  expect(status).toBe(200);
}

async function report({ token }: Token, machineID: string, sent: Sent = {}): Promise<void> {
  const { status } = await (sent.on ?? replicas.one).request('POST', `/v1/machines/${machineID}/errors`, {
    as: { project: token },
    headers: headersOf(sent),
    body: { error: 'disk full' },
  });
  expect(status).toBe(201);
}

const now = () => new Date(replicas.clock.now()).toISOString();

describe('GET /v1/project_tokens/{tokenID}/usage', () => {
  it('is empty for a token that nobody has used', async () => {
    expect(await usageOf(await issue())).toEqual({
      lastUsedAt: null,
      requestsByDay: [],
      addresses: [],
      userAgents: [],
      earlierValues: [],
      agentsCount: 0,
      stoppingAgentsCount: 0,
      agents: [],
    });
  });

  it('counts requests by day, on all replicas together', async () => {
    const made = await issue();
    const first = now().slice(0, 10);
    await use(made);
    await use(made, { on: replicas.other });
    replicas.clock.advance(86_400_000);
    await use(made);
    const usage = await usageOf(made);
    expect(usage.lastUsedAt).toBe(now());
    expect(usage.requestsByDay).toEqual([
      { day: now().slice(0, 10), requests: 1 },
      { day: first, requests: 2 },
    ]);
  });

  it('has the last five addresses and user agents, with their times', async () => {
    const made = await issue();
    for (const number of [1, 2, 3, 4, 5, 6, 2]) {
      replicas.clock.advance(1_000);
      await use(made, {
        from: `192.0.2.${number}`,
        agent: `agent ${number}`,
        on: number % 2 === 0 ? replicas.one : replicas.other,
      });
    }
    const { addresses, userAgents } = await usageOf(made);
    expect(addresses.map(({ address }) => address)).toEqual([2, 6, 5, 4, 3].map((one) => `192.0.2.${one}`));
    expect(userAgents.map(({ userAgent }) => userAgent)).toEqual(
      [2, 6, 5, 4, 3].map((one) => `agent ${one}`),
    );
    expect([addresses[0]?.lastUsedAt, userAgents[0]?.lastUsedAt]).toEqual([now(), now()]);
  });

  it('counts reports that take the shortcut, with their addresses', async () => {
    const made = await issue(['create:agent', 'create:agent_error']);
    for (let time = 0; time < 5; time += 1) await report(made, 'counted', { from: '2001:db8::7' });
    expect(await usageOf(made)).toMatchObject({
      requestsByDay: [{ requests: 5 }],
      addresses: [{ address: '2001:db8::7' }],
      userAgents: [{ userAgent: 'curl/8' }],
    });
  });

  it('counts a report once, also if its credential was checked again because others have changed', async () => {
    const made = await issue(['create:agent', 'create:agent_error']);
    const agent = await replicas.one.registerAgent({ id: project.id, token: made.token }, 'checked-again');
    const reportByID = () =>
      replicas.one.request('POST', `/v1/agents/${agent.id}/errors`, {
        as: { project: made.token },
        body: { error: 'disk full' },
      });
    expect((await reportByID()).status).toBe(201);
    const other = await issue();
    const { status } = await replicas.other.request('DELETE', `/v1/project_tokens/${other.id}`, {
      as: { access: replicas.admin },
    });
    expect(status).toBe(204);
    expect((await reportByID()).status).toBe(201);
    expect((await usageOf(made)).requestsByDay).toEqual([{ day: now().slice(0, 10), requests: 3 }]);
  });

  it('shows which agents registered or report with it, first those that stop when it ends', async () => {
    const [made, other] = [
      await issue(['create:agent', 'create:agent_error']),
      await issue(['create:agent', 'create:agent_error']),
    ];
    await report(made, 'reporting');
    const registered = await replicas.one.registerAgent({ id: project.id, token: made.token }, 'registered');
    await report(other, 'registered');
    const { agentsCount, stoppingAgentsCount, agents } = await usageOf(made);
    expect([agentsCount, stoppingAgentsCount]).toEqual([2, 1]);
    expect(agents).toEqual([
      {
        id: expect.any(String),
        name: 'reporting',
        registered: true,
        reports: true,
        hasOwnToken: false,
        lastSeenAt: now(),
      },
      {
        id: registered.id,
        name: 'web-01',
        registered: true,
        reports: false,
        hasOwnToken: true,
        lastSeenAt: now(),
      },
    ]);
    const reader = await issue(['read:token']);
    const { body: withoutAgents } = await replicas.one.request<TokenUsage>(
      'GET',
      `/v1/project_tokens/${made.id}/usage`,
      { as: { project: reader.token } },
    );
    expect(withoutAgents).toMatchObject({ agentsCount: 2, stoppingAgentsCount: 1, agents: [] });
    expect(await usageOf(other)).toMatchObject({
      agentsCount: 1,
      stoppingAgentsCount: 0,
      agents: [{ id: registered.id, registered: false, reports: true, hasOwnToken: true }],
    });
  });

  it('counts a value from before a rotation as the same token', async () => {
    const made = await issue();
    const { body: rotated } = await replicas.one.request<Token>(
      'POST',
      `/v1/project_tokens/${made.id}/rotate`,
      { as: { access: replicas.admin }, body: { graceSeconds: 60 } },
    );
    await use(made);
    await use(rotated);
    expect((await usageOf(made)).requestsByDay).toMatchObject([{ requests: 2 }]);
  });

  it('shows who used each earlier value since it was replaced, apart from who uses the new one', async () => {
    const made = await issue();
    await use(made, { from: '192.0.2.1', agent: 'before the rotation' });
    const rotate = async (body: object) =>
      (
        await replicas.one.request<Token>('POST', `/v1/project_tokens/${made.id}/rotate`, {
          as: { access: replicas.admin },
          body,
        })
      ).body;
    const second = await rotate({ graceSeconds: 3_600 });
    const third = await rotate({ graceSeconds: 60 });
    expect((await usageOf(made)).earlierValues).toMatchObject([
      { lastUsedAt: null, addresses: [], userAgents: [] },
      { lastUsedAt: null, addresses: [], userAgents: [] },
    ]);
    replicas.clock.advance(1_000);
    const first = now();
    await use(made, { from: '192.0.2.2', agent: 'late' });
    await use(third, { from: '192.0.2.3', agent: 'new' });
    replicas.clock.advance(1_000);
    for (const number of [4, 5, 6, 7, 8, 9]) {
      await use(made, { from: `192.0.2.${number}`, agent: 'late', on: replicas.other });
    }
    const { earlierValues, addresses } = await usageOf(made);
    const at = (address: string) => ({ address, lastUsedAt: now() });
    expect(earlierValues).toEqual([
      {
        token: expect.stringMatching(`…${second.token.slice(-4)}$`),
        endsAt: new Date(Date.parse(first) - 1_000 + 60_000).toISOString(),
        retiresOnUse: false,
        lastUsedAt: null,
        addresses: [],
        userAgents: [],
      },
      {
        token: expect.stringMatching(`…${made.token.slice(-4)}$`),
        endsAt: new Date(Date.parse(first) - 1_000 + 60_000).toISOString(),
        retiresOnUse: false,
        lastUsedAt: now(),
        addresses: ['192.0.2.5', '192.0.2.6', '192.0.2.7', '192.0.2.8', '192.0.2.9'].map(at),
        userAgents: [{ userAgent: 'late', lastUsedAt: now() }],
      },
    ]);
    expect(addresses).toHaveLength(5);
  });

  it('shows no secret that a client sends as its user agent, and nothing but printable text', async () => {
    const made = await issue();
    await use(made, { agent: `agent ${made.token} \u00e9 ${'x'.repeat(1_000)}` });
    const { userAgents } = await usageOf(made);
    const [secret = ''] = made.token.split('.').slice(1);
    expect(userAgents).toHaveLength(1);
    expect(JSON.stringify(userAgents)).not.toContain(secret);
    expect(userAgents[0]?.userAgent).toMatch(/^agent [\x20-\x7e]{1,194}$/);
  });
});
