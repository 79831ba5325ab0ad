import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../../testing/calls/agent-calls.ts';
import { callAgentErrors } from '../../../testing/calls/agent-error-calls.ts';
import { callHeartbeats } from '../../../testing/calls/heartbeat-calls.ts';
import { parseEvents } from '../../../testing/receivers/event-stream.ts';
import { readRows } from '../../../testing/rows/read-rows.ts';
import { startTestApp, type TestApp, type TestProject } from '../../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;
let errors: ReturnType<typeof callAgentErrors>;
let heartbeats: ReturnType<typeof callHeartbeats>;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
  errors = callAgentErrors(app);
  heartbeats = callHeartbeats(app);
});

afterAll(() => app.close());

async function register(project: TestProject, name: string, more: object = {}) {
  return (await agents.register(project, { name, machineID: name, rawConfig: 'A', ...more })).body;
}

/** Has everything counted, and returns what has happened since the last call. */
async function changesOf(project: TestProject, types: string): Promise<readonly object[]> {
  const as = { access: app.admin };
  await app.request('GET', `/v1/projects/${project.id}/summary`, { as });
  const { text } = await app.request('GET', `/v1/projects/${project.id}/events?follow=false&types=${types}`, {
    as,
    headers: { 'last-event-id': positions.get(project.id) ?? '0' },
  });
  positions.set(project.id, /.*^id: (\d+)$/ms.exec(text)?.[1] ?? '0');
  return parseEvents(text).map(({ type, data: { at, ...data } }) => ({ type, ...data }));
}

const positions = new Map<string, string>();

describe('agent.status_changed', () => {
  it('tells once of each change of an agent, whatever has caused it', async () => {
    const project = await app.createProject();
    const agent = await register(project, 'one', { heartbeatSeconds: 30 });
    const changeTo = (status: string, before: string | null) => [
      {
        type: 'agent.status_changed',
        status,
        count: 1,
        agents: [{ agentID: agent.id, name: 'one', machineID: 'one', before }],
      },
    ];
    const changes = () => changesOf(project, 'agent.status_changed');
    expect(await changes()).toEqual([]);
    const { body: error } = await errors.report(project, agent.id, 'broken');
    expect(await changes()).toEqual(changeTo('unhealthy', 'healthy'));
    expect(await changes()).toEqual([]);
    await errors.dismiss(error.id);
    expect(await changes()).toEqual(changeTo('healthy', 'unhealthy'));
    app.clock.advance(90_000);
    expect(await changes()).toEqual(changeTo('offline', 'healthy'));
    app.clock.advance(90_000);
    expect(await changes()).toEqual([]);
    await heartbeats.beat(agent, { status: 'stopped' });
    expect(await changes()).toEqual(changeTo('stopped', 'offline'));
    app.clock.advance(1_000);
    await register(project, 'one', { heartbeatSeconds: 30 });
    expect(await changes()).toEqual(changeTo('healthy', 'stopped'));
    app.clock.advance(91_000);
    expect(await changes()).toEqual(changeTo('offline', 'healthy'));
    const isCounted = () =>
      readRows(app.dataDirectory, `select agent_id from agent_states where agent_id = '${agent.id}'`);
    expect(await isCounted()).toEqual([{ agent_id: agent.id }]);
    await agents.delete(agent.id);
    expect(await changes()).toEqual([]);
    expect(await isCounted()).toEqual([]);
  });

  it('is told of an agent that is unhealthy from its first moment', async () => {
    const project = await app.createProject();
    const { id } = await register(project, 'new');
    await errors.report(project, id, 'broken');
    expect(await changesOf(project, 'agent.*')).toMatchObject([
      { type: 'agent.registered', agentID: id },
      { type: 'agent.status_changed', status: 'unhealthy', agents: [{ agentID: id, before: null }] },
    ]);
  });

  it('tells of many agents in one event, which names ten of them', async () => {
    const project = await app.createProject();
    for (let machine = 0; machine < 12; machine += 1) await heartbeats.beatOfMachine(project, `m${machine}`);
    const all = (await agents.list(project.id)).body;
    await changesOf(project, 'agent.*');
    await Promise.all(all.map(({ id }) => errors.report(project, id, 'broken rollout')));
    const [event, ...others] = await changesOf(project, 'agent.status_changed');
    expect(others).toEqual([]);
    expect(event).toMatchObject({ status: 'unhealthy', count: 12 });
    expect((event as { agents: object[] }).agents).toHaveLength(10);
  });
});

describe('dismissal.*', () => {
  it('tells when a dismissal is requested, has ended, and was undone', async () => {
    const project = await app.createProject();
    const { id } = await register(project, 'one');
    await errors.report(project, id, 'broken');
    await changesOf(project, 'dismissal.*');
    const as = { access: app.admin };
    const { body } = await app.request<{ id: string }>('POST', `/v1/projects/${project.id}/dismissals`, {
      as,
      body: { reason: 'seen', filter: { all: true } },
    });
    const dismissal = { dismissalID: body.id, reason: 'seen', reopenedCount: 0 };
    expect(await changesOf(project, 'dismissal.*')).toEqual([
      { type: 'dismissal.created', ...dismissal, errorsCount: 0, agentsCount: 0 },
      { type: 'dismissal.finished', ...dismissal, errorsCount: 1, agentsCount: 1 },
    ]);
    await app.request('POST', `/v1/dismissals/${body.id}/undo`, { as });
    expect(await changesOf(project, 'dismissal.*')).toEqual([
      { type: 'dismissal.undone', ...dismissal, errorsCount: 1, agentsCount: 1, reopenedCount: 1 },
    ]);
  });
});
