import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ErrorGroupCounter } from '../../../errors/groups/counting/error-group-counter.ts';
import { changeRows } from '../../../testing/rows/change-rows.ts';
import { readRows } from '../../../testing/rows/read-rows.ts';
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

describe('a look that fails', () => {
  it('keeps no other rollout from being looked at, and does not count as a look', async () => {
    const id = await scene.deploy();
    const other = await new RolloutScene(app).start(1);
    const failing = await other.deploy();
    await scene.poll(3);
    const stagesOf = (stages: string) =>
      changeRows(app.dataDirectory, `update rollouts set stages = '${stages}' where id = '${failing}'`);
    const [kept] = await readRows<{ stages: string }>(
      app.dataDirectory,
      `select stages from rollouts where id = '${failing}'`,
    );
    await stagesOf('no JSON');
    for (const agent of scene.updated) await scene.report(agent, 'broken');
    for (let look = 0; look < 8; look += 1) {
      app.clock.advance(15_000);
      await expect(app.app.runRollouts()).rejects.toThrow('JSON');
    }
    expect((await scene.read(id)).state).toBe('reverting');
    await stagesOf(kept?.stages ?? '');
    for (let look = 0; look < 2; look += 1) await app.app.runRollouts();
    const [{ unseen } = { unseen: 0 }] = await readRows<{ unseen: number }>(
      app.dataDirectory,
      `select unseen_ms as unseen from rollouts where id = '${failing}'`,
    );
    expect(Number(unseen)).toBeGreaterThan(60_000);
  });
});

describe('a failure that arrives with what shows that the version works', () => {
  afterEach(() => vi.restoreAllMocks());

  it('keeps the next stage from beginning, although it was not counted when the look began', async () => {
    const quiet = await scene.deploy();
    let polls = 0;
    for (; (await scene.read(quiet)).stage === 1; polls += 1) await scene.poll(1);
    const other = await new RolloutScene(app).start(4);
    const id = await other.deploy();
    await other.poll(polls - 1);
    const { catchUp } = ErrorGroupCounter.prototype;
    vi.spyOn(ErrorGroupCounter.prototype, 'catchUp').mockImplementationOnce(async function (
      this: ErrorGroupCounter,
      ...given
    ) {
      const counted = await catchUp.apply(this, given);
      for (const agent of other.updated) await other.report(agent, 'broken');
      return counted;
    });
    await other.poll(1);
    expect(await other.read(id)).toMatchObject({ state: 'running', stage: 1, isHeld: true });
    await other.poll(6);
    expect(await other.read(id)).toMatchObject({ stage: 1, verdict: { rule: 'new_cause', agents: 1 } });
    expect(other.updated).toHaveLength(0);
  });
});

describe('a look at more failures than any list of the API would hold', () => {
  const failures = 1_300;
  const ids = Array.from(
    { length: failures },
    (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  );

  /** As many agents more that got the version and crashed with it. */
  async function addCrashed(): Promise<void> {
    const { project, fleetID } = scene;
    const [given] = await readRows<{ seconds: number; at: number }>(
      app.dataDirectory,
      `select offered_seconds as seconds, offered_at as at from fleet_agents
       where fleet_id = '${fleetID}' and offered_seconds is not null order by offered_seconds desc limit 1`,
    );
    if (given === undefined) throw new Error('no agent was offered a version');
    const rowsOf = (values: string) => ids.map((id) => `('${project.id}', '${id}', ${values})`).join(', ');
    for (const sql of [
      `insert into agent_states (project_id, agent_id, status, type, version)
       values ${rowsOf("'unhealthy', '', ''")}`,
      `insert into fleet_agents (project_id, agent_id, fleet_id, offered_seconds, offered_at)
       values ${rowsOf(`'${fleetID}', ${given.seconds}, ${given.at}`)}`,
      `insert into agent_signs (project_id, agent_id, seen_at, stop_failed, failures, failed_at)
       values ${rowsOf(`${given.at}, 1, 0, ${Number(given.at) + 1}`)}`,
    ])
      expect(await changeRows(app.dataDirectory, sql)).toBe(failures);
  }

  it('counts every one of them', async () => {
    const id = await scene.deploy();
    await scene.poll(3);
    await addCrashed();
    await app.app.runRollouts();
    expect(await scene.read(id)).toMatchObject({
      state: 'reverting',
      verdict: { rule: 'hard_failures', agents: failures },
      evidence: { failedCount: failures },
    });
  });
});
