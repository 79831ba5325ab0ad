import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RolloutScene } from '../../../testing/stages/rollout-scene.ts';
import { type Replicas, startReplicas } from '../../../testing/start-replicas.ts';

let replicas: Replicas;

beforeAll(async () => {
  replicas = await startReplicas();
});
afterAll(() => replicas.close());

/** Both look at the same time. */
const bothLook = async () => {
  await Promise.all(replicas.all.map(({ app }) => app.runRollouts()));
};

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
