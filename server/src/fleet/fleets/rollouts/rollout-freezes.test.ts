import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RolloutScene } from '../../../testing/stages/rollout-scene.ts';
import { startTestApp, type TestApp } from '../../../testing/start-test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const at = (minutes: number) => new Date(app.clock.now() + minutes * 60_000).toISOString();

function freeze(scene: RolloutScene, fromMinutes: number, toMinutes: number) {
  const window = { name: 'launch', startsAt: at(fromMinutes), endsAt: at(toMinutes) };
  return scene.call('PATCH', `/v1/projects/${scene.project.id}/freeze_windows`, { freezeWindows: [window] });
}

describe('during a freeze of a project', () => {
  it('no rollout starts, unless it is said to', async () => {
    const scene = await new RolloutScene(app).start(2);
    const url = `/v1/fleets/${scene.fleetID}/rollouts`;
    const body = { versionID: scene.versionID, reason: 'it burns' };
    const until = at(60);
    await freeze(scene, -1, 60);
    expect(await scene.call('POST', url, body)).toMatchObject({
      status: 409,
      body: {
        code: 'rollouts_frozen',
        detail: `The freeze window 'launch' lets no rollout of this project start, no stage begin and no value that agents use change until ${until}. Wait until then, or send despiteFreeze: true.`,
      },
    });
    expect((await scene.call('POST', url, { ...body, despiteFreeze: true })).status).toBe(200);
    const { body: log } = await scene.call<{ after: object }[]>(
      'GET',
      `/v1/projects/${scene.project.id}/audit_log?last=1`,
    );
    expect(log[0]?.after).toMatchObject({ reason: 'it burns', freeze: 'launch' });
  });

  it('no stage begins until it ends', async () => {
    const scene = await new RolloutScene(app).start(4);
    const id = await scene.deploy();
    await scene.poll(2);
    await freeze(scene, -1, 30);
    await scene.poll(12);
    expect(await scene.read(id)).toMatchObject({
      state: 'waiting',
      stage: 1,
      verdict: { rule: 'freeze', stage: 2, freeze: 'launch', until: expect.any(String) },
    });
    expect(await scene.call('POST', `/v1/rollouts/${id}/promote`, { reason: 'I cannot wait' })).toMatchObject(
      { status: 409, body: { code: 'rollouts_frozen' } },
    );
    await scene.poll(90);
    expect(scene.updated.length).toBe(1);
    // 30 minutes after it was set.
    await scene.poll(30);
    expect(scene.updated.length).toBeGreaterThan(1);
    expect((await scene.read(id)).stage).toBeGreaterThan(1);
  });

  it('a rollout still stops and goes back', async () => {
    const scene = await new RolloutScene(app).start(4);
    const id = await scene.deploy();
    await freeze(scene, -1, 600);
    await scene.poll(14);
    expect(await scene.read(id)).toMatchObject({ state: 'waiting', verdict: { rule: 'freeze' } });
    for (const agent of scene.updated) await scene.report(agent, 'broken in the freeze');
    await scene.poll(8);
    expect(await scene.read(id)).toMatchObject({ state: 'reverted', verdict: { rule: 'new_cause' } });
    expect(scene.updated.length).toBe(0);
  });

  it('somebody can begin a stage despite it, and the next one waits again', async () => {
    const scene = await new RolloutScene(app).start(4);
    const id = await scene.deploy();
    await freeze(scene, -1, 600);
    await scene.poll(14);
    const promoted = await scene.call('POST', `/v1/rollouts/${id}/promote`, {
      reason: 'now',
      despiteFreeze: true,
    });
    expect(promoted.body).toMatchObject({ state: 'running', stage: 2 });
    await scene.poll(14);
    expect(await scene.read(id)).toMatchObject({
      state: 'waiting',
      stage: 2,
      verdict: { rule: 'freeze', stage: 3 },
    });
  });
});

describe('PATCH /v1/projects/{projectID}/freeze_windows', () => {
  const nights = { name: 'nights', weekdays: ['mon'], from: '18:00', to: '08:00', zone: 'Europe/Berlin' };

  it.each<[what: string, windows: object[], path: string]>([
    ['a zone that is none', [{ ...nights, zone: 'Mars/Olympus' }], '/freezeWindows/0/zone'],
    ['a name that is taken', [nights, nights], '/freezeWindows/1/name'],
    [
      'an end before the beginning',
      [{ name: 'x', startsAt: '2026-01-02T00:00:00Z', endsAt: '2026-01-01T00:00:00Z' }],
      '/freezeWindows/0/endsAt',
    ],
  ])('refuses %s', async (_, freezeWindows, path) => {
    const project = await app.createProject();
    const { status, body } = await app.request<{ code: string; errors: { path: string }[] }>(
      'PATCH',
      `/v1/projects/${project.id}/freeze_windows`,
      { as: { access: app.admin }, body: { freezeWindows } },
    );
    expect([status, body.code, JSON.stringify(body).includes(path)]).toEqual([422, 'invalid_body', true]);
  });
});
