import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RolloutScene } from '../../../testing/stages/rollout-scene.ts';
import { startTestApp, type TestApp } from '../../../testing/start-test-app.ts';

let app: TestApp;
let scene: RolloutScene;

beforeEach(async () => {
  app = await startTestApp();
  scene = await new RolloutScene(app).start(4);
});

afterEach(() => app.close());

describe('a look that comes long after the one before', () => {
  it('decides, also if all of them do', async () => {
    const id = await scene.deploy();
    await scene.poll(3);
    for (const agent of scene.updated) await scene.report(agent, 'broken');
    app.clock.advance(45_000);
    await app.app.runRollouts();
    expect(await scene.read(id)).toMatchObject({ state: 'running', isHeld: true });
    app.clock.advance(45_000);
    await app.app.runRollouts();
    expect((await scene.read(id)).state).toBe('reverting');
  });

  it('does not count the time between as time in which the agents were watched', async () => {
    const id = await scene.deploy();
    await scene.poll(3);
    app.clock.advance(3_600_000);
    await scene.poll(2);
    expect(await scene.read(id)).toMatchObject({ state: 'running', stage: 1 });
    await scene.poll(9);
    expect(await scene.read(id)).toMatchObject({ state: 'running', stage: 2 });
  });
});
