import type { Rollout } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RolloutScene } from '../../../testing/stages/rollout-scene.ts';
import { startTestApp, type TestApp } from '../../../testing/start-test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

/** A rollout whose first stage has passed. */
async function waiting(): Promise<{ readonly scene: RolloutScene; readonly id: string }> {
  const scene = await new RolloutScene(app).start(4);
  const id = await scene.deploy({ approval: 'each_stage' });
  await scene.poll(12);
  expect(await scene.read(id)).toMatchObject({
    state: 'waiting',
    stage: 1,
    verdict: { rule: 'approval', stage: 2 },
    approval: 'each_stage',
    approvals: [],
  });
  return { scene, id };
}

const approve = (scene: RolloutScene, id: string) =>
  scene.call<Rollout>('POST', `/v1/rollouts/${id}/approve`, { reason: 'looks well' });

describe('a rollout whose stages need an approval', () => {
  it('never goes on by time alone, and keeps who has approved what', async () => {
    const { scene, id } = await waiting();
    for (let day = 0; day < 8; day += 1) {
      app.clock.advance(86_400_000);
      await scene.poll(2);
    }
    expect([(await scene.read(id)).state, scene.updated.length]).toEqual(['waiting', 1]);
    expect((await approve(scene, id)).body).toMatchObject({
      state: 'running',
      stage: 2,
      verdict: null,
      approvals: [
        { stage: 2, approvedBy: { kind: 'user' }, reason: 'looks well', approvedAt: expect.any(String) },
      ],
    });
    await scene.poll(14);
    expect([(await scene.read(id)).state, scene.updated.length]).toEqual(['waiting', 2]);
    await approve(scene, id);
    // The last stage needs none to end: all agents have the version then.
    await scene.poll(14);
    const rollout = await scene.read(id);
    expect(rollout.state).toBe('completed');
    expect(rollout.approvals.map(({ stage }) => stage)).toEqual([2, 3]);
    expect(await scene.recorded()).toEqual([
      'rollout.started',
      'rollout.waiting',
      'rollout.approved',
      'rollout.waiting',
      'rollout.approved',
      'rollout.completed',
    ]);
  });

  it('still stops and goes back while it waits', async () => {
    const { scene, id } = await waiting();
    for (const agent of scene.updated) await scene.report(agent, 'broken at night');
    await app.app.runRollouts();
    expect(await scene.read(id)).toMatchObject({ state: 'waiting', isHeld: true });
    expect((await approve(scene, id)).body).toMatchObject({
      code: 'rollout_ended',
      detail: expect.stringContaining('is held'),
    });
    await scene.poll(7);
    expect(await scene.read(id)).toMatchObject({ state: 'reverted', verdict: { rule: 'new_cause' } });
    expect(scene.updated.length).toBe(0);
  });

  it('is approved once', async () => {
    const { scene, id } = await waiting();
    const answers = await Promise.all([approve(scene, id), approve(scene, id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await scene.read(id)).stage).toBe(2);
  });
});

describe('a rollout with a pace', () => {
  it('gives the version to no more agents of a stage in a minute', async () => {
    const scene = await new RolloutScene(app).start(6);
    const startedAt = app.clock.now();
    const id = await scene.deploy({ stages: [{ agents: '100%', soakSeconds: 120 }], maxPerMinute: 2 });
    const reached = new Set<number>();
    for (let turn = 0; turn < 30; turn += 1) {
      await scene.poll(1);
      const count = scene.updated.length;
      reached.add(count);
      expect(count).toBeLessThanOrEqual(1 + (app.clock.now() - startedAt) / 30_000);
    }
    expect([...reached].at(-1)).toBe(6);
    expect(reached.size).toBeGreaterThan(3);
    expect(await scene.read(id)).toMatchObject({ state: 'completed', maxPerMinute: 2 });
  });

  it('does not make up for time in which the service did not run', async () => {
    const scene = await new RolloutScene(app).start(6);
    await scene.deploy({ stages: [{ agents: '100%', soakSeconds: 120 }], maxPerMinute: 1 });
    await scene.poll(1);
    expect(scene.updated.length).toBe(1);
    app.clock.advance(3_600_000);
    await scene.poll(1);
    expect(scene.updated.length).toBeLessThanOrEqual(2);
  });
});
