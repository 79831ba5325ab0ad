import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../testing/calls/agent-calls.ts';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;
let errors: ReturnType<typeof callAgentErrors>;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
  errors = callAgentErrors(app);
});

afterAll(() => app.close());

const metrics = readFileSync(
  new URL('../../../../samples/agent-requests/metrics-nolabels.msgpack', import.meta.url),
);
const now = () => new Date(app.clock.now()).toISOString();

async function start(machineID?: string) {
  const project = await app.createProject();
  const agent = await app.registerAgent(project, machineID, 'A');
  return {
    project,
    agent,
    sendMetrics: () =>
      app.request('POST', `/v1/agents/${agent.id}/metrics`, { as: { agent: agent.token }, body: metrics }),
    statusNow: async () => (await agents.get(agent.id)).status,
  };
}

describe('lastSeenAt of an agent', () => {
  it('is updated by metrics', async () => {
    const { agent, sendMetrics } = await start();
    app.clock.advance(30_000);
    await sendMetrics();
    expect((await agents.get(agent.id)).lastSeenAt).toBe(now());
  });

  it('is updated by reports, including ignored ones', async () => {
    const { project, agent } = await start();
    for (let round = 0; round < 2; round += 1) {
      app.clock.advance(1_000);
      await errors.report(project, agent.id, 'no upstream connections available');
      expect((await agents.get(agent.id)).lastSeenAt).toBe(now());
    }
  });

  it('is updated by reports by machine id', async () => {
    const { project, agent } = await start('edge-7');
    app.clock.advance(1_000);
    const answer = await app.request('POST', '/v1/machines/edge-7/errors', {
      as: { project: project.token },
      body: { error: 'x' },
    });
    expect(answer.status).toBe(201);
    expect((await agents.get(agent.id)).lastSeenAt).toBe(now());
  });

  it('is updated by its own update and by its registration', async () => {
    const { project, agent } = await start('edge-8');
    app.clock.advance(1_000);
    await agents.update(agent, {});
    expect((await agents.get(agent.id)).lastSeenAt).toBe(now());
    app.clock.advance(1_000);
    await agents.register(project, { name: 'n', machineID: 'edge-8' });
    expect((await agents.get(agent.id)).lastSeenAt).toBe(now());
  });

  it('is not updated by reading the agent or its lists', async () => {
    const { project, agent } = await start();
    const { lastSeenAt } = await agents.get(agent.id);
    app.clock.advance(1_000);
    await app.request('GET', `/v1/agents/${agent.id}`, { as: { agent: agent.token } });
    await agents.list(project.id);
    await agents.listConfigs(agent.id);
    await errors.listOfAgent(agent.id);
    expect((await agents.get(agent.id)).lastSeenAt).toBe(lastSeenAt);
  });

  it('never goes back, although metrics are recorded later than an update', async () => {
    const { agent, sendMetrics } = await start();
    app.clock.advance(1_000);
    await sendMetrics();
    app.clock.advance(1_000);
    await agents.update(agent, {});
    expect((await agents.get(agent.id)).lastSeenAt).toBe(now());
  });

  it('does not affect other agents', async () => {
    const [{ sendMetrics }, { agent: other }] = [await start(), await start()];
    const { lastSeenAt } = await agents.get(other.id);
    app.clock.advance(1_000);
    await sendMetrics();
    expect((await agents.get(other.id)).lastSeenAt).toBe(lastSeenAt);
  });
});

describe('status of an agent', () => {
  it('is healthy until an error is reported, and again when all errors are dismissed', async () => {
    const { project, agent, statusNow } = await start();
    expect(await statusNow()).toBe('healthy');
    const { body: one } = await errors.report(project, agent.id, 'one');
    const { body: two } = await errors.report(project, agent.id, 'two');
    expect(await statusNow()).toBe('unhealthy');
    await errors.dismiss(one.id);
    expect(await statusNow()).toBe('unhealthy');
    await errors.dismiss(two.id);
    expect(await statusNow()).toBe('healthy');
    await errors.reopen(one.id);
    expect(await statusNow()).toBe('unhealthy');
  });

  it('is healthy with a new configuration, until that one has an error too', async () => {
    const { project, agent, statusNow } = await start();
    await errors.report(project, agent.id, 'bad property');
    await agents.update(agent, { rawConfig: 'A' });
    expect(await statusNow()).toBe('unhealthy');
    await agents.update(agent, { rawConfig: 'B' });
    expect(await statusNow()).toBe('healthy');
    await errors.report(project, agent.id, 'bad property');
    expect(await statusNow()).toBe('unhealthy');
  });

  it('stays healthy when it returns to configuration A, whose error belongs to its earlier period', async () => {
    const { project, agent, statusNow } = await start();
    await errors.report(project, agent.id, 'bad property');
    for (const rawConfig of ['B', 'A']) await agents.update(agent, { rawConfig });
    expect(await statusNow()).toBe('healthy');
  });

  it('is that of the configuration in a new registration', async () => {
    const { project, agent, statusNow } = await start('edge-9');
    await errors.report(project, agent.id, 'bad property');
    await agents.register(project, { name: 'n', machineID: 'edge-9', rawConfig: 'A' });
    expect(await statusNow()).toBe('unhealthy');
    await agents.register(project, { name: 'n', machineID: 'edge-9', rawConfig: 'C' });
    expect(await statusNow()).toBe('healthy');
  });
});
