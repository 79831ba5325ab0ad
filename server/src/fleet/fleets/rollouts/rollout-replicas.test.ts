import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StockAgent } from '../../../testing/calls/stock-agent.ts';
import { openPostgresSession } from '../../../testing/postgres/postgres-session.ts';
import { RolloutScene, versionedConfig } from '../../../testing/stages/rollout-scene.ts';
import { type Replicas, startReplicas } from '../../../testing/start-replicas.ts';
import type { TestApp } from '../../../testing/start-test-app.ts';

let replicas: Replicas;

beforeAll(async () => {
  replicas = await startReplicas();
});
afterAll(() => replicas.close());

/** Both look at the same time. */
const bothLook = async () => {
  await Promise.all(replicas.all.map(({ app }) => app.runRollouts()));
};

describe('two replicas that agents ask with the id of their fleet', () => {
  it('together give it to no more agents than the stage takes', async () => {
    const scene = await new RolloutScene(replicas.other, replicas.admin).start(0);
    const agent = new StockAgent(replicas.other, { project: scene.project, machineID: 'machine-0' });
    for (let number = 1; number <= 6; number += 1)
      await new StockAgent(replicas.other, {
        project: scene.project,
        machineID: `machine-${number}`,
      }).startByID(scene.fleetID);
    await agent.startByID(scene.fleetID);
    await scene.deploy({
      stages: [
        { agents: 3, soakSeconds: 120 },
        { agents: '100%', soakSeconds: 120 },
      ],
    });
    const ask = async (app: TestApp) =>
      (
        await app.request('GET', `/v1/fleets/${scene.fleetID}/config?format=ini&config_format=ini`, {
          as: { project: scene.project.token },
          headers: { 'fleet-config-version': String(agent.version) },
        })
      ).text;
    const asked = Array.from({ length: 60 }, (_, index) =>
      ask(index % 2 === 0 ? replicas.one : replicas.other),
    );
    const texts = await Promise.all(asked);
    expect(texts.filter((text) => text === versionedConfig(2)).length).toBe(3);
  });
});

const nobodyLooks = async () => undefined;
/** With so many, the first stage has passed. */
const passingPolls = 9;

it('a replica gives agents at once what another has decided, and nobody more', async () => {
  const scene = await new RolloutScene(replicas.other, replicas.admin).start(4);
  const decide = async (decision: () => Promise<unknown>): Promise<number> => {
    scene.app = replicas.one;
    await decision();
    scene.app = replicas.other;
    await scene.poll(1, nobodyLooks);
    return scene.updated.length;
  };
  let id = '';
  const deployed = async () => {
    id = await scene.deploy();
  };
  expect(await decide(deployed)).toBe(1);
  expect(await decide(() => scene.call('POST', `/v1/rollouts/${id}/promote`, { reason: 'sure' }))).toBe(2);
  expect(await decide(() => scene.call('POST', `/v1/rollouts/${id}/revert`, { reason: 'not sure' }))).toBe(0);
  const url = `/v1/fleets/${scene.fleetID}`;
  expect(await decide(() => scene.call('PATCH', url, { rawConfig: versionedConfig(2) }))).toBe(4);
});

describe('a freeze that begins while a stage is judged', () => {
  it.each<[what: string, decide: (id: string, scene: RolloutScene) => Promise<unknown>]>([
    ['by itself', () => replicas.one.app.runRollouts()],
    ['by a person', (id, scene) => scene.call('POST', `/v1/rollouts/${id}/promote`, { reason: 'now' })],
  ])('lets no stage begin %s', async (_, decide) => {
    const scene = await new RolloutScene(replicas.other, replicas.admin).start(4);
    const id = await scene.deploy();
    await scene.poll(passingPolls - 1);
    expect(await scene.read(id)).toMatchObject({ state: 'running', stage: 1 });
    await scene.poll(1, nobodyLooks);
    const session = await openPostgresSession(replicas.one.dataDirectory);
    await session.query('begin');
    // As another replica does it that has not answered yet.
    const at = (minutes: number) => new Date(replicas.clock.now() + minutes * 60_000).toISOString();
    await session.query('update projects set freeze_windows = $2 where id = $1', [
      scene.project.id,
      JSON.stringify([{ name: 'launch', startsAt: at(-1), endsAt: at(60) }]),
    ]);
    const decided = decide(id, scene);
    await session.waitForBlocked('"projects"', 1);
    await session.query('commit');
    await session.end();
    await decided;
    expect((await scene.read(id)).stage).toBe(1);
    await replicas.one.app.runRollouts();
    expect(await scene.read(id)).toMatchObject({ state: 'waiting', stage: 1, verdict: { rule: 'freeze' } });
  });
});

describe('two replicas that look at a rollout at the same time', () => {
  it('take it on once', async () => {
    const scene = await new RolloutScene(replicas.other, replicas.admin).start(4);
    const id = await scene.deploy();
    for (let turn = 0; turn < 36; turn += 1) {
      // Agents ask the one and the other in turns.
      scene.app = turn % 2 === 0 ? replicas.one : replicas.other;
      await scene.poll(1, bothLook);
    }
    expect((await scene.read(id)).state).toBe('completed');
    expect(scene.updated.length).toBe(4);
    expect(await scene.recorded()).toEqual(['rollout.started', 'rollout.completed']);
  });

  it('stop and revert it once, and each knows at once what the other has decided', async () => {
    const scene = await new RolloutScene(replicas.other, replicas.admin).start(4);
    const id = await scene.deploy();
    await scene.poll(3);
    for (const agent of scene.updated) await scene.report(agent, 'broken');
    await replicas.other.app.runRollouts();
    scene.app = replicas.one;
    await scene.poll(5, bothLook);
    expect((await scene.read(id)).state).toBe('reverting');
    scene.app = replicas.other;
    await scene.poll(2, bothLook);
    expect([(await scene.read(id)).state, scene.updated.length]).toEqual(['reverted', 0]);
    expect(await scene.recorded()).toEqual(['rollout.started', 'rollout.stopped', 'rollout.reverted']);
  });
});

describe('two replicas that learn at the same time what a version looks like', () => {
  it('count the agents of both as one configuration', async () => {
    const { other } = replicas;
    const as = { access: replicas.admin };
    const project = await other.createProject();
    const output = (port: number) =>
      `[OUTPUT]\n    Name http\n    Match *\n    Host \${GATEWAY}\n    Port ${port}\n`;
    const { body: fleet } = await other.request<{ id: string }>('POST', `/v1/projects/${project.id}/fleets`, {
      as,
      body: { name: 'edge', rawConfig: output(443), reporting: 'off' },
    });
    const agents = replicas.all.map(
      (app, index) => new StockAgent(app, { project, machineID: `machine-${index}` }),
    );
    const poll = async (agent: StockAgent) => {
      replicas.clock.advance(15_000);
      return agent.poll();
    };
    const run = (agent: StockAgent) =>
      agent.reload(agent.config.replace(`\${GATEWAY}`, `10.0.0.${agents.indexOf(agent) + 1}`));
    for (const agent of agents) {
      await agent.startByName('edge');
      await run(agent);
      await poll(agent);
    }
    const since = new Date(replicas.clock.now()).toISOString();
    await other.request('PATCH', `/v1/fleets/${fleet.id}`, { as, body: { rawConfig: output(9) } });
    for (const agent of agents) {
      expect(await poll(agent)).toBe(true);
      await run(agent);
    }
    const session = await openPostgresSession(other.dataDirectory);
    await session.query('begin');
    await session.query('select id from fleet_versions where fleet_id = $1 for update', [fleet.id]);
    for (const agent of agents) await poll(agent);
    // What is shown of an agent has everything that its replica has heard.
    const shown = replicas.all.map((app) => app.request('GET', `/v1/agents/${agents[0]?.agent?.id}`, { as }));
    await session.waitForBlocked('"fleet_versions"', 2);
    await session.query('commit');
    await session.end();
    await Promise.all(shown);
    const { body } = await other.request<{ configurations: object[] }>(
      'GET',
      `/v1/projects/${project.id}/history?bucket=minute&since=${since}`,
      { as },
    );
    expect(body.configurations[0]).toMatchObject({ agentsCount: 2 });
  });
});
