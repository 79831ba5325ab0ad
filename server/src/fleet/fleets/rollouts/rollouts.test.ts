import type { FleetVersion, Rollout, RolloutAgent, StartedRollout } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callHeartbeats } from '../../../testing/calls/heartbeat-calls.ts';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import { readRows } from '../../../testing/rows/read-rows.ts';
import { RolloutScene, soakSeconds, versionedConfig } from '../../../testing/stages/rollout-scene.ts';
import { startTestApp, type TestApp } from '../../../testing/start-test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const start = (count: number) => new RolloutScene(app).start(count);

const refused = '[output:http:http.0] connection refused by 10.0.0.1:9';

const evidenceOf = async (scene: RolloutScene, id: string) => (await scene.read(id)).evidence;

/** The rollouts that a cause has stopped. */
const stoppedBy = async (scene: RolloutScene, groupID: string) => {
  const path = `/v1/projects/${scene.project.id}/rollouts?group_id=${groupID}`;
  return (await scene.call<Rollout[]>('GET', path)).body.map(({ id }) => id);
};

describe('a rollout of a version that works', () => {
  it('gives it to one agent, then to half of them, then to all, and makes it the one of the fleet', async () => {
    const scene = await start(4);
    const { fleetID } = scene;
    const id = await scene.deploy();
    await scene.poll(4);
    expect(scene.updated.length).toBe(1);
    expect(await scene.read(id)).toMatchObject({
      fleetID,
      from: { number: 1 },
      to: { number: 2 },
      state: 'running',
      stage: 1,
      stages: [
        { agentsCount: 1, soakSeconds },
        { agentsCount: 1, soakSeconds },
        { agentsCount: 2, soakSeconds },
      ],
      isHeld: false,
      heldUntil: null,
      verdict: null,
      agentsCount: { offered: 1, applied: 1, rejected: 0, observed: 0 },
      endedAt: null,
    });
    await scene.poll(9);
    expect([(await scene.read(id)).stage, scene.updated.length]).toEqual([2, 2]);
    await scene.poll(12);
    expect([(await scene.read(id)).stage, scene.updated.length]).toEqual([3, 4]);
    await scene.poll(12);
    expect(await scene.read(id)).toMatchObject({
      state: 'completed',
      verdict: null,
      evidence: { updatedCount: 2, othersCount: 2, causes: [], failedCount: 0, watchedCount: 2 },
      history: [
        { kind: 'passed', stage: 1, by: null },
        { kind: 'passed', stage: 2, by: null },
        { kind: 'completed', stage: 3, by: null },
      ],
    });
    const { body: fleet } = await scene.call<{ rawConfig: string }>('GET', `/v1/fleets/${fleetID}`);
    expect(fleet.rawConfig).toBe(versionedConfig(2));
    expect(await scene.recorded()).toEqual(['rollout.started', 'rollout.completed']);
  });

  it('says before it begins who gets it when, and does nothing', async () => {
    const scene = await start(3);
    const { body } = await scene.call<StartedRollout>('POST', `/v1/fleets/${scene.fleetID}/rollouts`, {
      versionID: scene.versionID,
      reason: 'to see',
      dryRun: true,
    });
    expect(body).toEqual({
      id: null,
      stages: [
        { agentsCount: 1, aliveCount: 1, soakSeconds: 600, names: ['web-02'] },
        { agentsCount: 1, aliveCount: 1, soakSeconds: 600, names: ['web-02'] },
        { agentsCount: 1, aliveCount: 1, soakSeconds: 600, names: ['web-02'] },
      ],
    });
    await scene.poll(3);
    expect(scene.updated.length).toBe(0);
    expect(await scene.recorded()).toEqual([]);
  });
});

describe('a rollout of a version with which an agent ends', () => {
  const endOf = async (exitCode: number) => {
    const scene = await start(4);
    const id = await scene.deploy();
    await scene.poll(3);
    const [first] = scene.updated;
    const agent = { id: first?.agent?.id ?? '', token: first?.agent?.token ?? '' };
    await callHeartbeats(app).beat(agent, { status: 'stopped', exitCode });
    await app.request('GET', `/v1/projects/${scene.project.id}/summary`, { as: { access: app.admin } });
    await app.app.runRollouts();
    return { agentID: agent.id, rollout: await scene.read(id) };
  };

  it('stops at once if that is a failure', async () => {
    const { agentID, rollout } = await endOf(1);
    expect(rollout).toMatchObject({
      state: 'reverting',
      verdict: { rule: 'hard_failures', agents: 1, agentIDs: [agentID] },
    });
  });

  it('goes on if it is none', async () => {
    expect((await endOf(0)).rollout).toMatchObject({ state: 'running', verdict: null });
  });
});

describe('a rollout of a version that brings a cause', () => {
  it('holds, stops a minute later, and gives the version before to those who had it', async () => {
    const scene = await start(4);
    const { agents } = scene;
    const id = await scene.deploy();
    await scene.poll(3);
    const first = scene.updated[0];
    if (first === undefined) throw new Error('no agent has the version');
    const reportedAt = app.clock.now();
    await scene.report(first, refused);
    await app.app.runRollouts();
    const heldUntil = new Date(reportedAt + 60_000).toISOString();
    expect(await scene.read(id)).toMatchObject({ state: 'running', isHeld: true, heldUntil });
    await scene.poll(3);
    expect(await scene.read(id)).toMatchObject({ state: 'running', isHeld: true });
    app.clock.advance(15_000);
    await app.app.runRollouts();
    expect(await scene.read(id)).toMatchObject({
      state: 'reverting',
      heldUntil: null,
      verdict: { rule: 'new_cause', agents: 1, of: 1, groupID: expect.any(String) },
    });
    const kept = await evidenceOf(scene, id);
    expect(kept).toMatchObject({
      updatedCount: 1,
      othersCount: 3,
      causes: [{ updatedCount: 1, othersCount: 0, comesWithVersion: true }],
      failedCount: 0,
      worse: { updatedCount: 1, othersCount: 0 },
      agents: [{ agentID: first.agent?.id, reportedAt: kept?.causes[0]?.firstAt }],
    });
    expect(scene.updated.length).toBe(1);
    await scene.poll(2);
    expect(scene.updated.length).toBe(0);
    expect(await scene.read(id)).toMatchObject({
      state: 'reverted',
      history: [{ kind: 'held' }, { kind: 'stopped' }, { kind: 'reverted' }],
    });
    // What it shows then stays as it stood.
    expect(await evidenceOf(scene, id)).toEqual(kept);
    const groupID = kept?.causes[0]?.groupID ?? '';
    expect(await stoppedBy(scene, groupID)).toEqual([id]);
    expect(await stoppedBy(scene, scene.fleetID)).toEqual([]);
    expect(await scene.recorded()).toEqual(['rollout.started', 'rollout.stopped', 'rollout.reverted']);
    // The agents that never had it do not load the same configuration again.
    expect(new Set(agents.map(({ version }) => version)).size).toBe(2);
    // The cause tells which version brought it when nobody can read that version any more.
    await scene.call('DELETE', `/v1/fleets/${scene.fleetID}`);
    const url = `/v1/projects/${scene.project.id}/rollouts`;
    expect((await scene.call('GET', `${url}?group_id=${groupID}`)).body).toMatchObject([
      { id, fleetName: 'edge', fleetDeletedAt: expect.any(String), to: { number: 2 } },
    ]);
    expect((await scene.call('GET', url)).body).toEqual([]);
    expect((await scene.call('GET', `/v1/rollouts/${id}`)).status).toBe(404);
  });

  it('goes on if the agents without it have the cause too', async () => {
    const scene = await start(4);
    const { agents } = scene;
    const id = await scene.deploy();
    await scene.poll(3);
    for (const agent of agents) await scene.report(agent, refused);
    await scene.poll(10);
    expect([(await scene.read(id)).state, (await scene.read(id)).stage]).toEqual(['running', 2]);
  });

  it('goes on if the agent only could not reach Muster', async () => {
    const scene = await start(4);
    const id = await scene.deploy();
    await scene.poll(3);
    const first = scene.updated[0];
    if (first === undefined) throw new Error('no agent has the version');
    await scene.report(first, '[input:calyptia_fleet:calyptia_fleet.3] unable to get upstream connection');
    await scene.report(first, '[output:http:muster] no upstream connections available to muster.example:80');
    await scene.report(first, '[output:calyptia:calyptia.2] no upstream connections available');
    await scene.report(
      first,
      "[engine] chunk '1-1795867738.21.flb' cannot be retried: task_id=4, input=fluentbit_metrics.2 > output=calyptia.2",
    );
    await app.app.runRollouts();
    expect(await scene.read(id)).toMatchObject({ state: 'running', isHeld: false, evidence: { causes: [] } });
    await scene.report(first, '[input:tail:tail.0] unable to get upstream connection');
    await app.app.runRollouts();
    expect(await scene.read(id)).toMatchObject({ state: 'running', isHeld: true });
  });

  it('goes on if the agent had the cause before', async () => {
    const scene = await start(2);
    const { agents } = scene;
    for (const agent of agents) await scene.report(agent, refused);
    app.clock.advance(60_000);
    const id = await scene.deploy();
    await scene.poll(3);
    const first = scene.updated[0];
    if (first !== undefined) await scene.report(first, refused);
    await scene.poll(10);
    expect([(await scene.read(id)).state, (await scene.read(id)).stage]).toEqual(['running', 2]);
  });

  it.each([
    [1_800_000, 'goes on', { state: 'running', stage: 2 }],
    [1_800_001, 'does not go on', { state: 'reverted', stage: 1 }],
  ])('%i ms after the agent had the cause, if it was dismissed, %s', async (milliseconds, _, expected) => {
    const scene = await start(2);
    for (const agent of scene.agents) await scene.report(agent, refused);
    await scene.call('POST', `/v1/projects/${scene.project.id}/dismissals`, {
      reason: 'seen',
      filter: { all: true },
    });
    app.clock.advance(milliseconds - 15_000);
    await scene.poll(1);
    const id = await scene.deploy();
    await scene.poll(3);
    const first = scene.updated[0];
    if (first !== undefined) await scene.report(first, refused);
    await scene.poll(10);
    expect(await scene.read(id)).toMatchObject(expected);
  });

  it('marks the version bad, so that it is not deployed again by mistake', async () => {
    const scene = await start(2);
    await scene.deploy();
    await scene.poll(3);
    for (const agent of scene.updated) await scene.report(agent, 'broken');
    await scene.poll(6);
    const again = { versionID: scene.versionID, reason: 'again' };
    expect(await scene.call('POST', `/v1/fleets/${scene.fleetID}/rollouts`, again)).toMatchObject({
      status: 409,
      body: { code: 'fleet_version_bad' },
    });
    const { body: versions } = await scene.call<FleetVersion[]>(
      'GET',
      `/v1/fleets/${scene.fleetID}/versions`,
    );
    expect(versions.map(({ number, isBad }) => [number, isBad])).toEqual([
      [2, true],
      [1, false],
    ]);
    // Nor to all agents at once, by its id or by its content.
    const { versionID } = scene;
    for (const body of [{ versionID }, { rawConfig: versionedConfig(2) }]) {
      expect(await scene.call('PATCH', `/v1/fleets/${scene.fleetID}`, body)).toMatchObject({
        status: 409,
        body: problemBody(
          'fleet_version_bad',
          'A rollout of version 2 has stopped by itself. Create a version that is corrected, or send despiteBad: true.',
        ),
      });
    }
    await scene.poll(2);
    expect(scene.updated.length).toBe(0);
    const despite = await scene.call('POST', `/v1/fleets/${scene.fleetID}/rollouts`, {
      ...again,
      despiteBad: true,
    });
    expect(despite.status).toBe(200);
    const atOnce = { versionID, despiteBad: true };
    expect((await scene.call('PATCH', `/v1/fleets/${scene.fleetID}`, atOnce)).status).toBe(200);
    await scene.poll(1);
    expect(scene.updated.length).toBe(2);
    // The one that they have is no new decision.
    expect((await scene.call('PATCH', `/v1/fleets/${scene.fleetID}`, { versionID })).status).toBe(200);
  });
});

describe('a rollout of a version that agents reject', () => {
  it('stops at once', async () => {
    const scene = await start(4);
    const { agents } = scene;
    const id = await scene.deploy({ onFailure: 'hold' });
    // The agent downloads it, and goes on with what it runs.
    for (let time = 0; time < 8; time += 1) {
      app.clock.advance(15_000);
      for (const agent of agents) await agent.poll();
      await app.app.runRollouts();
    }
    expect(await scene.read(id)).toMatchObject({
      state: 'stopped',
      verdict: { rule: 'hard_failures', agents: 1 },
      agentsCount: { offered: 1, applied: 0, rejected: 1, observed: 0 },
    });
    expect(scene.updated.length).toBe(1);
  });
});

it('goes on, whatever an agent shows that says it has the version before its stage begins', async () => {
  const scene = await start(8);
  const id = await scene.deploy();
  await scene.poll(1);
  const [chosen] = scene.updated;
  const [liar, other] = scene.agents.filter((agent) => agent !== chosen);
  if (chosen === undefined || liar === undefined || other === undefined) throw new Error('no such agents');
  for (const agent of [liar, other]) agent.version = chosen.version;
  // One never says that it runs the version, the other does, and reports an error.
  await other.reload(chosen.config);
  expect(await scene.report(other, 'no route to host')).toBe(201);
  await scene.poll(7);
  expect(await scene.read(id)).toMatchObject({
    state: 'running',
    stage: 1,
    evidence: { updatedCount: 1, othersCount: 6, failedCount: 0, causes: [] },
  });
});

it('gets the time again in which nobody looked at a rollout, if that was more than half a minute', async () => {
  const scene = await start(2);
  const id = await scene.deploy();
  const unseenAfter = async (milliseconds: number) => {
    app.clock.advance(milliseconds);
    await app.app.runRollouts();
    return readRows(
      app.dataDirectory,
      `select cast(unseen_ms as integer) as unseen_ms from rollouts where id = '${id}'`,
    );
  };
  expect(await unseenAfter(30_000)).toEqual([{ unseen_ms: 0 }]);
  expect(await unseenAfter(30_001)).toEqual([{ unseen_ms: 30_001 }]);
});

describe('a person', () => {
  it('pauses, resumes, promotes, stops and reverts a rollout', async () => {
    const scene = await start(4);
    const id = await scene.deploy();
    const act = async (action: string) =>
      (await scene.call<Rollout>('POST', `/v1/rollouts/${id}/${action}`, { reason: 'because' })).body;
    expect(await act('pause')).toMatchObject({
      state: 'paused',
      verdict: { rule: 'person', reason: 'because' },
    });
    await scene.poll(2);
    expect(scene.updated.length).toBe(0);
    expect(await act('resume')).toMatchObject({ state: 'running', verdict: null, stage: 1 });
    await scene.poll(2);
    expect(scene.updated.length).toBe(1);
    expect(await act('promote')).toMatchObject({ state: 'running', stage: 2 });
    await scene.poll(2);
    expect(scene.updated.length).toBe(2);
    expect(await act('stop')).toMatchObject({ state: 'stopped' });
    await scene.poll(2);
    expect(scene.updated.length).toBe(2);
    expect(await act('pause')).toMatchObject({
      code: 'rollout_ended',
      detail: `The rollout ${id} is stopped, so that you cannot pause it. That is possible while it is running or waiting.`,
    });
    expect(await act('revert')).toMatchObject({ state: 'reverting' });
    await scene.poll(3);
    expect([(await scene.read(id)).state, scene.updated.length]).toEqual(['reverted', 0]);
    expect(await scene.recorded()).toEqual([
      'rollout.started',
      'rollout.paused',
      'rollout.resumed',
      'rollout.promoted',
      'rollout.stopped',
      'rollout.stopped',
      'rollout.reverted',
    ]);
  });

  it.each(['promote', 'resume'])('can %s only the stage that was seen, if that is said', async (action) => {
    const scene = await start(4);
    const id = await scene.deploy();
    const seen = { reason: 'because', stage: 1 };
    const promote = () => scene.call<Rollout>('POST', `/v1/rollouts/${id}/promote`, seen);
    const statuses = (await Promise.all([promote(), promote()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409]);
    await scene.call('POST', `/v1/rollouts/${id}/pause`, { reason: 'because' });
    expect(await scene.call('POST', `/v1/rollouts/${id}/${action}`, seen)).toMatchObject({
      status: 409,
      body: problemBody(
        'rollout_ended',
        `The rollout ${id} is in stage 2 of 3, and not in stage 1 as when you saw it, so that nothing was done. Look at it again before you decide: muster rollout get ${id}`,
      ),
    });
    expect(await scene.read(id)).toMatchObject({ state: 'paused', stage: 2 });
    const now = await scene.call('POST', `/v1/rollouts/${id}/${action}`, { ...seen, stage: 2 });
    expect(now).toMatchObject({
      status: 200,
      body: { state: 'running', stage: action === 'promote' ? 3 : 2 },
    });
  });

  it('supersedes a rollout by another version of the fleet', async () => {
    const scene = await start(2);
    const id = await scene.deploy();
    await scene.call('PATCH', `/v1/fleets/${scene.fleetID}`, { rawConfig: versionedConfig(3) });
    expect((await scene.read(id)).state).toBe('superseded');
    await scene.poll(2);
    expect(scene.configs).toEqual([versionedConfig(3), versionedConfig(3)]);
  });

  it('sees how far each agent is', async () => {
    const scene = await start(2);
    const id = await scene.deploy();
    await scene.poll(3);
    const { body } = await scene.call<RolloutAgent[]>('GET', `/v1/rollouts/${id}/agents`);
    expect(body.map(({ stage, state }) => [stage, state]).sort()).toEqual([
      [1, 'applied'],
      [2, 'waiting'],
    ]);
    const { body: list } = await scene.call<Rollout[]>('GET', `/v1/projects/${scene.project.id}/rollouts`);
    expect(list.map((rollout) => rollout.id)).toEqual([id]);
  });
});

describe('a rollout that cannot be', () => {
  it.each<[what: string, body: (scene: RolloutScene) => object, status: number, code: string]>([
    [
      'of a version of another fleet',
      () => ({ versionID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d' }),
      404,
      'not_found',
    ],
    ['without a reason', ({ versionID }) => ({ versionID, reason: '' }), 422, 'invalid_body'],
    [
      'of a stage that ends before anything can be seen',
      ({ versionID }) => ({ versionID, stages: [{ agents: 1, soakSeconds: 10 }] }),
      422,
      'invalid_body',
    ],
  ])('%s', async (_, body, status, code) => {
    const scene = await start(1);
    expect(
      await scene.call('POST', `/v1/fleets/${scene.fleetID}/rollouts`, { reason: 'x', ...body(scene) }),
    ).toMatchObject({ status, body: { code } });
  });

  it('of the version that the fleet serves', async () => {
    const scene = await start(1);
    const { body: fleet } = await scene.call<{ currentVersion: { id: string } }>(
      'GET',
      `/v1/fleets/${scene.fleetID}`,
    );
    expect(
      await scene.call('POST', `/v1/fleets/${scene.fleetID}/rollouts`, {
        versionID: fleet.currentVersion.id,
        reason: 'x',
      }),
    ).toMatchObject({ status: 409, body: { code: 'rollout_impossible' } });
  });
});
