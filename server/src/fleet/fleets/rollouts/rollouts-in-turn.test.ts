import type { FleetVersion } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import { RolloutScene, versionedConfig } from '../../../testing/stages/rollout-scene.ts';
import { startTestApp, type TestApp } from '../../../testing/start-test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const start = (count: number) => new RolloutScene(app).start(count);

const refused = '[output:http:http.0] connection refused by 10.0.0.1:9';

describe('a rollout that is superseded while it goes back', () => {
  /** One agent has the bad version, and does not ask while the rollout of it goes back. */
  const startReverting = async () => {
    const scene = await start(4);
    const id = await scene.deploy();
    await scene.poll(3);
    const [canary] = scene.updated;
    if (canary === undefined) throw new Error('no agent has the version');
    await scene.report(canary, refused);
    for (let turn = 0; turn < 6; turn += 1) {
      app.clock.advance(15_000);
      await app.app.runRollouts();
    }
    expect((await scene.read(id)).state).toBe('reverting');
    return { scene, id, canary };
  };

  it('leaves no agent with the version, whichever stage of the next rollout the agent is in', async () => {
    const { scene, id } = await startReverting();
    const before = scene.agents.map(({ version }) => version);
    const url = `/v1/fleets/${scene.fleetID}`;
    const { body: corrected } = await scene.call<{ id: string }>('POST', `${url}/versions`, {
      rawConfig: versionedConfig(3),
    });
    const next = await scene.deploy({ versionID: corrected.id });
    expect((await scene.read(id)).state).toBe('superseded');
    await scene.call('POST', `/v1/rollouts/${next}/pause`, { reason: 'nobody gets it yet' });
    await scene.poll(2);
    expect(scene.configs).toEqual(Array(4).fill(versionedConfig(1)));
    // The others have loaded nothing, and nobody loads it again.
    const after = scene.agents.map(({ version }) => version);
    expect(after.filter((version, index) => version !== before[index]).length).toBe(1);
    await scene.poll(2);
    expect(scene.agents.map(({ version }) => version)).toEqual(after);
    await scene.call('POST', `/v1/rollouts/${next}/resume`, { reason: 'now' });
    await scene.poll(2);
    expect([...scene.configs].sort()).toEqual([...Array(3).fill(versionedConfig(1)), versionedConfig(3)]);
    await scene.poll(36);
    expect((await scene.read(next)).state).toBe('completed');
    expect(scene.configs).toEqual(Array(4).fill(versionedConfig(3)));
  });

  it.each<[how: string, supersede: (scene: RolloutScene, versionID: string) => Promise<unknown>]>([
    ['by the next rollout', (scene, versionID) => scene.deploy({ versionID })],
    [
      'by a version for all agents at once',
      (scene, versionID) => scene.call('PATCH', `/v1/fleets/${scene.fleetID}`, { versionID }),
    ],
  ])('leaves its version marked bad, if that was %s', async (_, supersede) => {
    const { scene, id } = await startReverting();
    const url = `/v1/fleets/${scene.fleetID}`;
    const { body: corrected } = await scene.call<{ id: string }>('POST', `${url}/versions`, {
      rawConfig: versionedConfig(3),
    });
    await supersede(scene, corrected.id);
    expect((await scene.read(id)).state).toBe('superseded');
    const { body: versions } = await scene.call<FleetVersion[]>('GET', `${url}/versions`);
    expect(versions.map(({ number, isBad }) => [number, isBad])).toEqual([
      [3, false],
      [2, true],
      [1, false],
    ]);
    const { versionID } = scene;
    for (const [method, path, body] of [
      ['PATCH', url, { versionID }],
      ['POST', `${url}/rollouts`, { versionID, reason: 'again' }],
    ] as const)
      expect(await scene.call(method, path, body)).toMatchObject({
        status: 409,
        body: { code: 'fleet_version_bad' },
      });
  });

  it('does not mark its version bad, if a person has reverted it', async () => {
    const scene = await start(4);
    const id = await scene.deploy();
    await scene.poll(2);
    await scene.call('POST', `/v1/rollouts/${id}/revert`, { reason: 'a typing mistake' });
    const again = await scene.deploy();
    expect((await scene.read(id)).state).toBe('superseded');
    expect((await scene.read(again)).state).toBe('running');
  });
});

describe('a stopped rollout whose agents keep the version', () => {
  const stopped = async () => {
    const scene = await start(4);
    const id = await scene.deploy();
    await scene.poll(2);
    await scene.call('POST', `/v1/rollouts/${id}/stop`, { reason: 'to see' });
    const { body: corrected } = await scene.call<{ id: string }>(
      'POST',
      `/v1/fleets/${scene.fleetID}/versions`,
      { rawConfig: versionedConfig(3) },
    );
    const revert = () => scene.call('POST', `/v1/rollouts/${id}/revert`, { reason: 'back' });
    return { scene, id, correctedID: corrected.id, revert };
  };

  it('cannot be reverted when a newer one says what agents get, which takes them back too', async () => {
    const { scene, id, correctedID, revert } = await stopped();
    const newer = await scene.deploy({ versionID: correctedID });
    await scene.poll(1);
    const before = await scene.recorded();
    expect(await revert()).toMatchObject({
      status: 409,
      body: problemBody(
        'rollout_ended',
        `The rollout ${id} is stopped, and the newer rollout ${newer} says which version agents get. Revert that one: the agents that still have version 2 then go back too.`,
      ),
    });
    expect((await scene.read(id)).state).toBe('stopped');
    expect(await scene.recorded()).toEqual(before);
    await scene.call('POST', `/v1/rollouts/${newer}/revert`, { reason: 'back' });
    await scene.poll(2);
    expect(scene.configs).toEqual(Array(4).fill(versionedConfig(1)));
  });

  it('cannot be reverted when all agents have got another one since', async () => {
    const { scene, id, correctedID, revert } = await stopped();
    await scene.call('PATCH', `/v1/fleets/${scene.fleetID}`, { versionID: correctedID });
    expect(await revert()).toMatchObject({
      status: 409,
      body: problemBody(
        'rollout_ended',
        `The rollout ${id} is stopped, and another version was given to all agents of the fleet since then, so that there is nothing to revert. To give them version 1 again: muster fleet update ${scene.fleetID} --serve-version 1 --all-at-once`,
      ),
    });
    expect((await scene.read(id)).state).toBe('stopped');
  });
});
