import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StockAgent } from '../../../testing/calls/stock-agent.ts';
import { RolloutScene, versionedConfig } from '../../../testing/stages/rollout-scene.ts';
import { startTestApp, type TestApp } from '../../../testing/start-test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

/** A fleet whose agents all ask with its id. */
async function start(count: number): Promise<RolloutScene> {
  const scene = await new RolloutScene(app).start(0);
  for (let number = 1; number <= count; number += 1) {
    const agent = new StockAgent(app, { project: scene.project, machineID: `machine-${number}` });
    await agent.startByID(scene.fleetID);
    scene.agents.push(agent);
  }
  await scene.poll(1);
  return scene;
}

describe('a rollout to agents that ask with the id of their fleet', () => {
  it('gives it to as many as each stage takes, and is complete when they show that they run it', async () => {
    const scene = await start(4);
    const id = await scene.deploy();
    const reached = new Set<number>();
    for (let turn = 0; turn < 40; turn += 1) {
      await scene.poll(1);
      reached.add(scene.updated.length);
    }
    expect([...reached]).toEqual([1, 2, 4]);
    expect(await scene.read(id)).toMatchObject({ state: 'completed', agentsCount: { applied: 4 } });
  });

  it('gives it at a pace to those that were counted, and then to one that has come since', async () => {
    const scene = await start(3);
    const id = await scene.deploy({ maxPerMinute: 1 });
    const late = new StockAgent(app, { project: scene.project, machineID: 'late' });
    await late.startByID(scene.fleetID);
    scene.agents.push(late);
    for (let turn = 0; turn < 60 && (await scene.read(id)).state === 'running'; turn += 1)
      await scene.poll(1);
    expect(await scene.read(id)).toMatchObject({
      state: 'completed',
      verdict: null,
      agentsCount: { applied: 4 },
    });
  });

  it('goes back from those that have it alone', async () => {
    const scene = await start(4);
    const before = scene.agents.map(({ version }) => version);
    const id = await scene.deploy();
    await scene.poll(3);
    const [canary] = scene.updated;
    if (canary === undefined) throw new Error('no agent has the version');
    await scene.report(canary, 'broken');
    await scene.poll(8);
    expect((await scene.read(id)).state).toBe('reverted');
    expect(scene.configs.filter((config) => config !== versionedConfig(1))).toEqual([]);
    // The others have loaded nothing.
    expect(scene.agents.filter(({ version }, index) => version !== before[index])).toEqual([canary]);
  });

  it('never goes on when nobody shows that it runs it', async () => {
    const scene = await start(4);
    const id = await scene.deploy();
    for (let turn = 0; turn < 60; turn += 1) {
      app.clock.advance(15_000);
      // It downloads it, and dies.
      for (const agent of scene.agents) await agent.poll();
      await app.app.runRollouts();
    }
    expect(await scene.read(id)).toMatchObject({
      state: 'paused',
      verdict: { rule: 'not_enough_evidence' },
      agentsCount: { offered: 1, applied: 0 },
    });
    expect(scene.updated.length).toBe(1);
  });

  it('counts an answer that did not arrive', async () => {
    const scene = await start(3);
    await scene.deploy();
    const headers = { 'fleet-config-version': String(scene.agents[0]?.version) };
    const ask = () =>
      app.request('GET', `/v1/fleets/${scene.fleetID}/config?format=ini&config_format=ini`, {
        as: { project: scene.project.token },
        headers,
      });
    const texts = (await Promise.all(Array.from({ length: 20 }, ask))).map(({ text }) => text);
    expect(texts.filter((text) => text === versionedConfig(2)).length).toBe(1);
    await scene.poll(3);
    expect(scene.updated.length).toBe(0);
  });

  it('counts none that cannot get it, since what it names is known of other agents only', async () => {
    const scene = await start(3);
    const { body: version } = await scene.call<{ id: string }>(
      'POST',
      `/v1/fleets/${scene.fleetID}/versions`,
      { rawConfig: versionedConfig(2).replace('cpu', 'cpu\n    Alias {{agent.name}}') },
    );
    scene.versionID = version.id;
    const id = await scene.deploy();
    const asked = await app.request(
      'GET',
      `/v1/fleets/${scene.fleetID}/config?format=ini&config_format=ini`,
      {
        as: { project: scene.project.token },
        headers: { 'fleet-config-version': String(scene.agents[0]?.version) },
      },
    );
    expect(asked).toMatchObject({ status: 409, body: { code: 'fleet_config_incomplete' } });
    expect(await scene.read(id)).toMatchObject({ state: 'running', agentsCount: { offered: 0, applied: 0 } });
  });

  it('gives nothing to an agent that has nothing yet, or something else', async () => {
    const scene = await start(2);
    await scene.deploy();
    for (const version of ['-1', '12', '99999999999'])
      expect(
        (
          await app.request('GET', `/v1/fleets/${scene.fleetID}/config?format=ini&config_format=ini`, {
            as: { project: scene.project.token },
            headers: { 'fleet-config-version': version },
          })
        ).text,
      ).toBe(versionedConfig(1));
  });
});
