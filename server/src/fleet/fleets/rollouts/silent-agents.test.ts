import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callHeartbeats } from '../../../testing/calls/heartbeat-calls.ts';
import type { StockAgent } from '../../../testing/calls/stock-agent.ts';
import { RolloutScene, soakSeconds } from '../../../testing/stages/rollout-scene.ts';
import { startTestApp, type TestApp } from '../../../testing/start-test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

/** Half of twenty agents have the version, and one of each half falls silent while the rollout waits for an approval. */
async function alike(lastSoakSeconds = soakSeconds) {
  const scene = await new RolloutScene(app).start(20);
  const id = await scene.deploy({
    approval: 'each_stage',
    stages: [
      { agents: '50%', soakSeconds },
      { agents: '100%', soakSeconds: lastSoakSeconds },
    ],
  });
  await scene.poll(14);
  expect(await scene.read(id)).toMatchObject({ state: 'waiting', stage: 1, agentsCount: { applied: 10 } });
  const others = scene.agents.filter((agent) => !scene.updated.includes(agent));
  for (const agent of [scene.updated[0], others[0]]) await switchOff(scene, agent);
  await scene.poll(16);
  expect(await silentOf(scene)).toBe(2);
  expect(await scene.read(id)).toMatchObject({ state: 'waiting', evidence: { failedCount: 0 } });
  return { scene, id, others };
}

async function switchOff(scene: RolloutScene, agent: StockAgent | undefined): Promise<void> {
  if (agent?.agent === undefined) throw new Error('no such agent');
  await callHeartbeats(app).beat(agent.agent, { heartbeatSeconds: 30 });
  // Stores what was heard.
  await silentOf(scene);
  scene.agents.splice(scene.agents.indexOf(agent), 1);
}

async function silentOf({ project }: RolloutScene): Promise<number> {
  return (await callHeartbeats(app).namesOf(project.id, 'offline')).length;
}

describe('agents with the version and agents without it that fall silent alike', () => {
  it('do not stop the next stage when it begins', async () => {
    const { scene, id } = await alike();
    await scene.call('POST', `/v1/rollouts/${id}/approve`, { reason: 'a rack is switched off' });
    await scene.poll(2);
    expect(await scene.read(id)).toMatchObject({
      state: 'running',
      stage: 2,
      verdict: null,
      evidence: { failedCount: 0 },
    });
    await scene.poll(20);
    expect(await scene.read(id)).toMatchObject({ state: 'completed' });
  });

  it('do not stop the same stage when it goes on after a pause', async () => {
    const { scene, id } = await alike();
    for (const action of ['pause', 'resume'])
      await scene.call('POST', `/v1/rollouts/${id}/${action}`, { reason: 'a rack is switched off' });
    await scene.poll(2);
    expect(await scene.read(id)).toMatchObject({
      state: 'waiting',
      stage: 1,
      evidence: { failedCount: 0 },
    });
  });
});

it('an agent that gets the version and is never heard again stops the rollout', async () => {
  const scene = await new RolloutScene(app).start(4);
  for (const { agent } of scene.agents)
    if (agent !== undefined) await callHeartbeats(app).beat(agent, { heartbeatSeconds: 30 });
  const id = await scene.deploy();
  app.clock.advance(15_000);
  for (const agent of scene.agents) await agent.poll();
  const [dead] = scene.updated;
  for (let time = 0; time < 10; time += 1) {
    app.clock.advance(15_000);
    for (const agent of scene.agents) {
      if (agent === dead || agent.agent === undefined) continue;
      await callHeartbeats(app).beat(agent.agent);
    }
    await silentOf(scene);
    await app.app.runRollouts();
  }
  expect(await silentOf(scene)).toBe(1);
  expect(await scene.read(id)).toMatchObject({
    state: 'reverted',
    verdict: { rule: 'hard_failures', agents: 1 },
    agentsCount: { offered: 1, applied: 0 },
  });
});

it('an agent with the version that falls silent alone stops the rollout, also if others did in an earlier stage', async () => {
  const { scene, id, others } = await alike(300);
  await scene.call('POST', `/v1/rollouts/${id}/approve`, { reason: 'a rack is switched off' });
  await scene.poll(2);
  await switchOff(scene, others.at(-1));
  await scene.poll(10);
  expect(await scene.read(id)).toMatchObject({
    state: 'reverting',
    verdict: { rule: 'hard_failures', agents: 1 },
  });
});
