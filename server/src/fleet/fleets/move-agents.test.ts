import type { AgentWithConfig, AuditEntry, FleetsStatus, Rollout } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StockAgent } from '../../testing/calls/stock-agent.ts';
import { RolloutScene, soakSeconds, versionedConfig } from '../../testing/stages/rollout-scene.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const configOf = (tag: string) =>
  `[INPUT]\n    Name dummy\n    Tag  ${tag}\n\n[OUTPUT]\n    Name  stdout\n    Match *\n`;

function call<Body>(method: string, path: string, body?: object) {
  return app.request<Body>(method, path, { as: { access: app.admin }, ...(body && { body }) });
}

async function createFleet(project: TestProject, name: string): Promise<string> {
  const body = { name, rawConfig: configOf(name), reporting: 'off' };
  return (await call<{ id: string }>('POST', `/v1/projects/${project.id}/fleets`, body)).body.id;
}

async function startAgent(project: TestProject, machineID: string, zoneSeconds = 0): Promise<StockAgent> {
  const agent = new StockAgent(app, { project, machineID, zoneSeconds, name: machineID });
  await agent.startByName('edge');
  await pollLater(agent);
  return agent;
}

async function start() {
  const project = await app.createProject();
  const edge = await createFleet(project, 'edge');
  const canary = await createFleet(project, 'canary');
  return { project, edge, canary };
}

async function pollLater(agent: StockAgent): Promise<boolean> {
  app.clock.advance(15_000);
  return agent.poll();
}

function move(fleetID: string, ...agents: readonly StockAgent[]) {
  return call<{ movedCount: number }>('POST', `/v1/fleets/${fleetID}/agents`, {
    agentIDs: agents.map(({ agent }) => agent?.id),
  });
}

async function fleetOf({ agent }: StockAgent) {
  const { body } = await call<AgentWithConfig>('GET', `/v1/agents/${agent?.id}`);
  return [
    body.fleetID,
    body.fleet?.name,
    body.fleet?.versionNumber,
    body.fleet?.state,
    body.fleet?.isDrifted,
  ];
}

async function statusOf(fleetID: string) {
  const { body } = await call<FleetsStatus>('GET', `/v1/fleets/${fleetID}/status`);
  return [body.managed, body.healthy, body.inProgress, body.unhealthy];
}

describe('POST /v1/fleets/{fleetID}/agents', () => {
  it.each([0, 9 * 3_600, -5 * 3_600])(
    'gives an agent %i s ahead of UTC what the other fleet serves',
    async (zone) => {
      const { project, edge, canary } = await start();
      const agent = await startAgent(project, 'machine-1', zone);
      const other = await startAgent(project, 'machine-2', zone);
      expect((await move(canary, agent)).body).toEqual({ movedCount: 1 });
      expect(await fleetOf(agent)).toEqual([canary, 'canary', null, 'unknown', false]);
      expect([await statusOf(edge), await statusOf(canary)]).toEqual([
        [1, 1, 0, 0],
        [1, 0, 1, 0],
      ]);
      expect(await pollLater(agent)).toBe(true);
      expect(agent.config).toBe(configOf('canary'));
      expect(await fleetOf(agent)).toEqual([canary, 'canary', 1, 'offered', false]);
      await agent.reload();
      expect(await pollLater(agent)).toBe(false);
      expect(await fleetOf(agent)).toEqual([canary, 'canary', 1, 'applied', false]);
      expect(await statusOf(canary)).toEqual([1, 1, 0, 0]);
      // Nobody else loads anything.
      expect(await pollLater(other)).toBe(false);
      // The next version of the other fleet, and back, and again.
      await call('PATCH', `/v1/fleets/${canary}`, { rawConfig: configOf('second') });
      expect(await pollLater(agent)).toBe(true);
      expect(agent.config).toBe(configOf('second'));
      await agent.reload();
      for (const [fleetID, tag] of [
        [edge, 'edge'],
        [canary, 'second'],
      ] as const) {
        await move(fleetID, agent);
        expect(await pollLater(agent)).toBe(true);
        expect(agent.config).toBe(configOf(tag));
        await agent.reload();
        expect(await pollLater(agent)).toBe(false);
        expect((await fleetOf(agent)).slice(3)).toEqual(['applied', false]);
      }
    },
  );

  it('is one entry of the audit log and one event for many, and nothing for agents that are there', async () => {
    const { project, edge, canary } = await start();
    const agents = [await startAgent(project, 'machine-1'), await startAgent(project, 'machine-2')];
    await move(canary, ...agents);
    expect((await move(canary, ...agents)).body).toEqual({ movedCount: 0 });
    const { body } = await call<AuditEntry[]>('GET', `/v1/projects/${project.id}/audit_log?last=100`);
    const entries = body.filter(({ action }) => action === 'fleet.agents_moved');
    expect(entries).toMatchObject([
      {
        target: { kind: 'fleet', id: canary, name: 'canary' },
        before: { fleets: ['edge'] },
        after: { agentsCount: 2, agentIDs: agents.map(({ agent }) => agent?.id).sort() },
      },
    ]);
    const counts = await call<{ counts: object[] }>(
      'GET',
      `/v1/projects/${project.id}/fleets/version_counts`,
    );
    expect(counts.body.counts).toMatchObject([{ fleetID: canary, versionID: null, agentsCount: 2 }]);
    expect(await statusOf(edge)).toEqual([0, 0, 0, 0]);
  });

  it('holds when the agent registers again, loses its folder, or is described by itself', async () => {
    const { project, canary } = await start();
    const agent = await startAgent(project, 'machine-1');
    await move(canary, agent);
    // It still says that it is in the fleet of its handle.
    await agent.reload();
    expect((await fleetOf(agent))[1]).toBe('canary');
    // Without its folder it searches for the fleet that its file names.
    const again = await startAgent(project, 'machine-1');
    expect(again.agent?.id).toBe(agent.agent?.id);
    expect((await fleetOf(again))[1]).toBe('canary');
    expect(again.config).toBe(configOf('canary'));
    await again.reload();
    await pollLater(again);
    expect((await fleetOf(again)).slice(3)).toEqual(['applied', false]);
  });

  it('leaves for a third fleet if the file of the agent names that one', async () => {
    const { project, canary } = await start();
    const third = await createFleet(project, 'third');
    const agent = await startAgent(project, 'machine-1');
    await move(canary, agent);
    const again = new StockAgent(app, { project, machineID: 'machine-1', name: 'machine-1' });
    await again.startByName('third');
    expect((await fleetOf(again)).slice(0, 2)).toEqual([third, 'third']);
  });

  it('refuses agents that ask with the id of the fleet, and moves none then', async () => {
    const { project, edge, canary } = await start();
    const movable = await startAgent(project, 'machine-1');
    const fixed = new StockAgent(app, { project, machineID: 'machine-2', name: 'fixed "{{x}}"\n' });
    await fixed.startByID(edge);
    expect(await move(canary, movable, fixed)).toMatchObject({
      status: 409,
      body: { code: 'agent_not_movable', detail: expect.stringContaining('fleet_id') },
    });
    expect((await fleetOf(movable))[1]).toBe('edge');
    const plain = await app.registerAgent(project, 'machine-3');
    expect(await call('POST', `/v1/fleets/${canary}/agents`, { agentIDs: [plain.id] })).toMatchObject({
      status: 409,
      body: { code: 'agent_not_movable' },
    });
  });

  it('refuses agents, fleets and credentials of other projects, and credentials that may not change agents', async () => {
    const { project, canary } = await start();
    const agent = await startAgent(project, 'machine-1');
    const { project: otherProject, canary: otherFleet } = await start();
    expect(await move(otherFleet, agent)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const path = `/v1/fleets/${canary}/agents`;
    const body = { agentIDs: [agent.agent?.id] };
    const foreign = await app.createToken(otherProject.id, ['update:fleet', 'update:agent']);
    expect(await app.request('POST', path, { as: { project: foreign.token }, body })).toMatchObject({
      status: 404,
    });
    for (const permissions of [['update:fleet'], ['update:agent']]) {
      const { token } = await app.createToken(project.id, permissions);
      expect(await app.request('POST', path, { as: { project: token }, body })).toMatchObject({
        status: 403,
      });
    }
    const own = await app.request('POST', path, { as: { agent: agent.agent?.token ?? '' }, body });
    expect(own.status).toBe(403);
    expect((await fleetOf(agent))[1]).toBe('edge');
  });

  it('moves an agent once if two people move it at once', async () => {
    const { project, edge, canary } = await start();
    const third = await createFleet(project, 'third');
    const agent = await startAgent(project, 'machine-1');
    const answers = await Promise.all([move(canary, agent), move(third, agent), move(canary, agent)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const counts = await Promise.all([edge, canary, third].map(statusOf));
    expect(counts.map(([managed]) => managed).reduce((sum = 0, one = 0) => sum + one)).toBe(1);
    expect(await pollLater(agent)).toBe(true);
    expect([configOf('canary'), configOf('third')]).toContain(agent.config);
  });

  it('is what PATCH /v1/agents/{agentID} leads to', async () => {
    const { project, edge, canary } = await start();
    const agent = await startAgent(project, 'machine-1');
    expect(await call('PATCH', `/v1/agents/${agent.agent?.id}`, { fleetID: canary })).toMatchObject({
      status: 422,
      body: { fields: [{ path: '/fleetID', message: expect.stringContaining('POST /v1/fleets') }] },
    });
    expect((await call('PATCH', `/v1/agents/${agent.agent?.id}`, { fleetID: edge })).status).toBe(204);
  });
});

describe('a rollout that is under way', () => {
  it('does not wait for an agent that has left, which gets what its new fleet serves', async () => {
    const scene = await new RolloutScene(app).start(4);
    const canary = await createFleet(scene.project, 'canary');
    const id = await scene.deploy();
    await scene.poll(2);
    const [first] = scene.updated;
    if (first === undefined) throw new Error('nobody was updated');
    await scene.call('POST', `/v1/rollouts/${id}/promote`, { reason: 'to try' });
    await scene.poll(2);
    const second = scene.updated.find((one) => one !== first);
    if (second === undefined) throw new Error('nobody else was updated');
    await move(canary, second);
    await scene.poll(2);
    expect(second.config).toBe(configOf('canary'));
    expect(first.config).toBe(versionedConfig(2));
    expect(await scene.read(id)).toMatchObject({ agentsCount: { offered: 1, applied: 1 } });
  });

  it('gives its version to an agent that has come in the last stage', async () => {
    const scene = await new RolloutScene(app).start(3);
    const canary = await createFleet(scene.project, 'canary');
    const guest = scene.agents[2];
    if (guest === undefined) throw new Error('there are three agents');
    await move(canary, guest);
    await scene.poll(2);
    const id = await scene.deploy();
    await scene.poll(1);
    await move(scene.fleetID, guest);
    await scene.poll(2);
    expect(guest.config).toBe(versionedConfig(1));
    await scene.poll((3 * soakSeconds) / 15 + 12);
    expect((await scene.call<Rollout>('GET', `/v1/rollouts/${id}`)).body.state).toBe('completed');
    expect(scene.configs).toEqual([versionedConfig(2), versionedConfig(2), versionedConfig(2)]);
    expect((await fleetOf(guest)).slice(2)).toEqual([2, 'applied', false]);
  });
});
