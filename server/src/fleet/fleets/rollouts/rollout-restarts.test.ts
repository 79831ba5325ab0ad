import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeRows } from '../../../testing/rows/change-rows.ts';
import { readRows } from '../../../testing/rows/read-rows.ts';
import { RolloutScene } from '../../../testing/stages/rollout-scene.ts';
import { startTestApp } from '../../../testing/start-test-app.ts';
import { createTestClock } from '../../../testing/test-clock.ts';
import { dropTestDatabase } from '../../../testing/test-database.ts';

let dataDirectory: string;
let scene: RolloutScene;

beforeEach(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const clock = createTestClock();
  scene = await new RolloutScene(await startTestApp({ dataDirectory, clock })).start(4);
});

afterEach(async () => {
  await scene.app.close();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

async function restart(): Promise<void> {
  const { clock } = scene.app;
  await scene.app.close();
  scene.app = await startTestApp({ dataDirectory, clock });
}

describe('a rollout whose service is started again and again', () => {
  it('gives the version to the same agents, stage by stage, and completes once', async () => {
    const id = await scene.deploy();
    const reached: number[] = [];
    for (let turn = 0; turn < 36; turn += 1) {
      await scene.poll(1);
      if (turn % 4 === 0) await restart();
      reached.push(scene.updated.length);
    }
    expect([...new Set(reached)]).toEqual([1, 2, 4]);
    expect((await scene.read(id)).state).toBe('completed');
    expect(await scene.recorded()).toEqual(['rollout.started', 'rollout.completed']);
  });

  it('holds, stops and reverts once', async () => {
    const id = await scene.deploy();
    await scene.poll(3);
    for (const agent of scene.updated) await scene.report(agent, 'broken');
    for (let turn = 0; turn < 10; turn += 1) {
      await scene.poll(1);
      if (turn % 2 === 0) await restart();
      expect(scene.updated.length).toBeLessThanOrEqual(1);
    }
    expect((await scene.read(id)).state).toBe('reverted');
    expect(await scene.recorded()).toEqual(['rollout.started', 'rollout.stopped', 'rollout.reverted']);
  });
});

describe('who got what in a rollout', () => {
  it('is removed when it ended longer ago than dismissed errors are kept', async () => {
    const id = await scene.deploy();
    await scene.call('POST', `/v1/rollouts/${id}/stop`, { reason: 'a typing mistake' });
    const rows = () =>
      readRows(dataDirectory, `select agent_id from rollout_agents where rollout_id = '${id}'`);
    await restart();
    await scene.app.app.cleanedUp;
    expect((await rows()).length).toBe(2);
    scene.app.clock.advance(400 * 86_400_000);
    await restart();
    await scene.app.app.cleanedUp;
    expect(await rows()).toEqual([]);
    expect((await scene.read(id)).state).toBe('stopped');
  });
});

describe('a decision that is cut off', () => {
  it.each([
    ['when its event is written', 'event_changes', "new.type = 'rollout.stopped'"],
    ['when the version before is published', 'fleet_publications', '1'],
    ['when the rollout is changed', 'rollouts', '1'],
  ])('%s leaves nothing, and is made once afterwards', async (_, table, condition) => {
    const id = await scene.deploy();
    await scene.poll(3);
    for (const agent of scene.updated) await scene.report(agent, 'broken');
    await scene.app.app.runRollouts();
    await scene.poll(3);
    scene.app.clock.advance(15_000);
    const event = table === 'rollouts' ? 'update' : 'insert';
    await changeRows(
      dataDirectory,
      `create trigger cut before ${event} on ${table} when ${condition} begin select raise(abort, 'cut off'); end`,
    );
    await expect(scene.app.app.runRollouts()).rejects.toThrow('cut off');
    expect(await scene.read(id)).toMatchObject({ state: 'running', isHeld: true, verdict: null });
    await changeRows(dataDirectory, 'drop trigger cut');
    await scene.app.app.runRollouts();
    await scene.app.app.runRollouts();
    expect((await scene.read(id)).state).toBe('reverting');
    expect(await scene.recorded()).toEqual(['rollout.started', 'rollout.stopped']);
  });
});
