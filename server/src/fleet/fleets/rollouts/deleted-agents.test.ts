import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StockAgent } from '../../../testing/calls/stock-agent.ts';
import { readRows } from '../../../testing/rows/read-rows.ts';
import { RolloutScene, soakSeconds } from '../../../testing/stages/rollout-scene.ts';
import { startTestApp, type TestApp } from '../../../testing/start-test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

/** They ask no more. */
async function remove(scene: RolloutScene, agents: readonly StockAgent[]): Promise<void> {
  for (const agent of agents) {
    expect((await scene.call('DELETE', `/v1/agents/${agent.agent?.id}`)).status).toBe(204);
    scene.agents.splice(scene.agents.indexOf(agent), 1);
  }
}

it('a stage does not wait for an agent that was deleted', async () => {
  const scene = await new RolloutScene(app).start(4);
  const id = await scene.deploy({
    stages: [
      { agents: 3, soakSeconds },
      { agents: '100%', soakSeconds },
    ],
  });
  await scene.poll(2);
  await remove(scene, scene.updated.slice(0, 1));
  await scene.poll(12);
  expect(await scene.read(id)).toMatchObject({ state: 'running', stage: 2, agentsCount: { applied: 3 } });
});

it('agents that are deleted are not compared with those that have the version', async () => {
  const scene = await new RolloutScene(app).start(6);
  await remove(scene, scene.agents.slice(0, 3));
  const id = await scene.deploy({
    stages: [
      { agents: 1, soakSeconds },
      { agents: '100%', soakSeconds: 600 },
    ],
  });
  await scene.poll(12);
  expect(await scene.read(id)).toMatchObject({ stage: 2, agentsCount: { applied: 3 } });
  // A destination fails for everybody: those of the earlier stage report it too.
  for (const agent of scene.agents) await scene.report(agent, '[output:http:http.0] connection refused');
  await scene.poll(6);
  expect(await scene.read(id)).toMatchObject({
    state: 'running',
    isHeld: false,
    evidence: { updatedCount: 2, othersCount: 1, causes: [{ updatedCount: 2, othersCount: 1 }] },
  });
  expect(
    await readRows(
      app.dataDirectory,
      `select agent_id from fleet_agents where fleet_id = '${scene.fleetID}'`,
    ),
  ).toHaveLength(3);
});
