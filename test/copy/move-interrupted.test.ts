import { randomUUID } from 'node:crypto';
import { beginArrival, departProject, finishArrival } from '@muster/client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestClock, type TestClock } from '../../server/src/testing/test-clock.ts';
import { takesAllRounds } from '../rounds.ts';
import { type Installation, move, startInstallation } from './move-places.ts';

interface Created {
  readonly id: string;
  readonly token: string;
}

interface SmallProject {
  readonly project: Created;
  readonly agent: Created;
  /** Reports at an installation until now that were answered with 201. */
  readonly acknowledged: string[];
  readonly refused: (readonly [status: number, code: string])[];
}

let count = 0;

async function makeProject(source: Installation): Promise<SmallProject> {
  const project = await source.app.createProject(`small ${count}`);
  const agent = await source.app.registerAgent(project);
  const small = { project, agent, acknowledged: [], refused: [] };
  await report(source, small);
  await report(source, small);
  return small;
}

async function report(
  { app }: Installation,
  { agent, acknowledged, refused }: SmallProject,
): Promise<number> {
  count += 1;
  // No numbers: errors that differ in them alone have the same cause.
  const error = `fault ${count}`;
  const answer = await app.request<{ code: string }>('POST', `/v1/agents/${agent.id}/errors`, {
    as: { agent: agent.token },
    body: { error },
  });
  if (answer.status === 201) acknowledged.push(error);
  else refused.push([answer.status, answer.body.code]);
  return answer.status;
}

async function storedErrors({ app }: Installation, { project }: SmallProject): Promise<string[]> {
  const url = `/v1/projects/${project.id}/agent_errors?last=200`;
  const { body } = await app.request<{ error: string }[]>('GET', url, { as: { access: app.admin } });
  return body.map(({ error }) => error).toSorted();
}

/** Kills the command at a step: nothing that it would do then arrives. */
function killAt(places: readonly Installation[], step: string, when: 'before' | 'after'): () => boolean {
  let isKilled = false;
  for (const { hooks } of places) {
    const die = (one: string, now: typeof when): void => {
      if (one === step && now === when) isKilled = true;
      if (isKilled) throw new Error('killed by the test');
    };
    hooks.before = async (one) => die(one, 'before');
    hooks.after = (one) => die(one, 'after');
  }
  return () => isKilled;
}

function revive(places: readonly Installation[]): void {
  for (const { hooks } of places) {
    hooks.before = async () => undefined;
    hooks.after = () => undefined;
  }
}

const steps = [
  'departure begin',
  'arrival',
  'departure/rows agents',
  'arrival rows agents write',
  'arrival rows agent_errors write',
  'departure freeze',
  'departure leave',
  'arrival finish',
];

describe.each(['sqlite', 'postgres'] as const)('a project on %s with two targets', (engine) => {
  let source: Installation;
  let first: Installation;
  let second: Installation;

  beforeAll(async () => {
    const clock = createTestClock();
    source = await startInstallation(engine, { clock, name: 'a' });
    first = await startInstallation('sqlite', { clock, name: 'b' });
    second = await startInstallation('sqlite', { clock, name: 'c' });
  });

  afterAll(async () => {
    for (const { close } of [source, first, second]) await close();
  });

  const refused = (detail: string) => ({
    code: 'project_move_refused',
    problem: { detail: expect.stringContaining(detail) },
  });

  async function reportEverywhere(small: SmallProject): Promise<number[]> {
    const statuses: number[] = [];
    for (const place of [source, first, second]) statuses.push(await report(place, small));
    return statuses;
  }

  it('is at the one to which it has moved, and the other one gets nothing', async () => {
    const small = await makeProject(source);
    await move(source, first, small.project.id);
    await expect(move(source, second, small.project.id)).rejects.toMatchObject(refused(first.url));
    expect(await reportEverywhere(small)).toEqual([503, 201, 401]);
  });

  it.each(['arrival rows agent_errors write', 'departure freeze', 'departure leave'])(
    'is where the newer run has moved it, which began before "%s" of the older one',
    async (step) => {
      const small = await makeProject(source);
      let newer: Promise<unknown> | undefined;
      for (const { hooks } of [source, first])
        hooks.before = async (one) => {
          if (one !== step || newer !== undefined) return;
          newer = move(source, second, small.project.id);
          await newer;
        };
      await expect(move(source, first, small.project.id)).rejects.toMatchObject({
        code: 'project_move_refused',
      });
      revive([source, first]);
      await expect(newer).resolves.toMatchObject({ isMoved: true });
      expect(await reportEverywhere(small)).toEqual([503, 503, 201]);
      expect(await storedErrors(second, small)).toEqual(small.acknowledged.toSorted());
    },
  );

  it('goes to the other one if that is to be instead of one that is lost', async () => {
    const small = await makeProject(source);
    killAt([source, first], 'arrival finish', 'before');
    await expect(move(source, first, small.project.id)).rejects.toThrow();
    revive([source, first]);
    await expect(move(source, second, small.project.id)).rejects.toMatchObject(
      refused(`--instead-of ${first.url}`),
    );
    const moved = move(source, second, small.project.id, { insteadOf: first.url });
    expect(await moved).toMatchObject({ isMoved: true });
    expect(await reportEverywhere(small)).toEqual([503, 503, 201]);
    expect(await storedErrors(second, small)).toEqual(small.acknowledged.toSorted());
    await expect(move(source, first, small.project.id)).rejects.toMatchObject(refused(second.url));
  });

  it('is finished at the target alone if the source is lost after it has left', async () => {
    const small = await makeProject(source);
    killAt([source, first], 'arrival finish', 'before');
    await expect(move(source, first, small.project.id)).rejects.toThrow();
    revive([source, first]);
    const runID = randomUUID();
    const other = await first.app.createProject('theirs');
    const { version, migrations } = await departProject(first.client, {
      projectID: other.id,
      body: { step: 'begin', runID, targetURL: first.url },
    });
    const arrival = { projectID: small.project.id, name: 'moved', runID, sourceURL: source.url };
    await beginArrival(first.client, { body: { ...arrival, version, migrations } });
    await finishArrival(first.client, { projectID: small.project.id, body: { runID } });
    expect(await reportEverywhere(small)).toEqual([503, 201, 401]);
    expect(await storedErrors(first, small)).toEqual(small.acknowledged.toSorted());
    const url = `/v1/projects/${small.project.id}`;
    const { body } = await first.app.request('GET', url, { as: { access: first.app.admin } });
    expect(body).toMatchObject({ name: expect.stringMatching(/^small/) });
  });
});

describe('a project that arrives while another replica of the target counts', () => {
  it('is not here before its errors are counted: they would be told as new ones', async () => {
    const clock = createTestClock();
    const source = await startInstallation('sqlite', { clock, name: 'a' });
    // Reads wait for a quarter of a second, as usual.
    const target = await startInstallation('postgres', {
      ...{ clock, name: 'b', groupIntervalMilliseconds: 3_600_000 },
    });
    const small = await makeProject(source);
    const other = new pg.Client({ connectionString: target.databaseUrl });
    await other.connect();
    const ticking = setInterval(() => clock.advance(1_000), 50);
    target.hooks.before = async (step) => {
      if (step !== 'arrival finish') return;
      await other.query('update agent_errors set occurrences = occurrences + 1');
      await other.query('begin');
      await other.query('select from counting_partitions for update');
    };
    await expect(move(source, target, small.project.id)).rejects.toMatchObject({ code: 'overloaded' });
    clearInterval(ticking);
    revive([target]);
    await other.query('rollback');
    await other.end();
    await move(source, target, small.project.id);
    expect(await storedErrors(target, small)).toEqual(small.acknowledged.toSorted());
    for (const { close } of [source, target]) await close();
  });
});

describe.each([
  ['sqlite', 'sqlite'],
  ['postgres', 'sqlite'],
  ['sqlite', 'postgres'],
] as const)('a move from %s to %s', (from, to) => {
  let clock: TestClock;
  let source: Installation;
  let target: Installation;

  beforeAll(async () => {
    clock = createTestClock();
    source = await startInstallation(from, { clock, name: 'a' });
    target = await startInstallation(to, { clock, name: 'b' });
  });

  afterAll(async () => {
    await source.close();
    await target.close();
  });

  // Those before copy only, which the engines do alike.
  const tried = from === to || takesAllRounds ? steps : steps.slice(-3);

  it.each(tried.flatMap((step) => [[step, 'before'] as const, [step, 'after'] as const]))(
    'that is killed at "%s" (%s) goes on when it runs again, and loses nothing',
    async (step, when) => {
      const small = await makeProject(source);
      const places = [source, target];
      const isKilled = killAt(places, step, when);
      await expect(move(source, target, small.project.id)).rejects.toThrow();
      expect(isKilled()).toBe(true);
      revive(places);
      const [atSource, atTarget] = [await report(source, small), await report(target, small)];
      const isMoved = step === 'arrival finish' && when === 'after';
      // Never at both, whatever the moment.
      expect([atSource, atTarget].filter((status) => status === 201).length).toBeLessThanOrEqual(1);
      if (!isMoved) expect(atTarget).not.toBe(201);
      clock.advance(1_000);
      await move(source, target, small.project.id);
      expect(await report(source, small)).toBe(503);
      expect(await report(target, small)).toBe(201);
      expect(await storedErrors(target, small)).toEqual(small.acknowledged.toSorted());
      expect(
        small.refused.map(([status]) => status).filter((status) => ![401, 503].includes(status)),
      ).toEqual([]);
      // Once more changes nothing.
      expect(await move(source, target, small.project.id)).toMatchObject({ isMoved: false });
    },
  );

  it('gives the project back after five minutes if the command has died', async () => {
    const small = await makeProject(source);
    const places = [source, target];
    killAt(places, 'departure freeze', 'after');
    await expect(move(source, target, small.project.id)).rejects.toThrow();
    revive(places);
    expect(await report(source, small)).toBe(503);
    clock.advance(5 * 60_000);
    await source.app.app.endFreezes();
    expect(await report(source, small)).toBe(201);
    const url = `/v1/projects/${small.project.id}/summary`;
    const { body } = await source.app.request('GET', url, { as: { access: source.app.admin } });
    expect(body).toMatchObject({
      agentsCount: 1,
      openErrorsByState: { current: small.acknowledged.length, superseded: 0 },
    });
    // It goes on from there.
    await move(source, target, small.project.id);
    expect(await storedErrors(target, small)).toEqual(small.acknowledged.toSorted());
  });

  it('refuses to let the project leave after its freeze has ended', async () => {
    const small = await makeProject(source);
    source.hooks.before = async (step) => {
      if (step !== 'departure leave') return;
      clock.advance(5 * 60_000);
      await source.app.app.endFreezes();
      await report(source, small);
    };
    await expect(move(source, target, small.project.id)).rejects.toThrow('the freeze has ended by itself');
    revive([source]);
    expect(await report(source, small)).toBe(201);
    expect(await report(target, small)).toBe(503);
    await move(source, target, small.project.id);
    expect(await storedErrors(target, small)).toEqual(small.acknowledged.toSorted());
  });

  it('stops when another run of the command begins', async () => {
    const small = await makeProject(source);
    let second: Promise<unknown> | undefined;
    target.hooks.before = async (step) => {
      if (step !== 'arrival rows agent_errors write' || second !== undefined) return;
      second = move(source, target, small.project.id);
      await second;
    };
    await expect(move(source, target, small.project.id)).rejects.toThrow();
    revive([target]);
    await expect(second).resolves.toMatchObject({ isMoved: true });
    expect(await report(target, small)).toBe(201);
    expect(await storedErrors(target, small)).toEqual(small.acknowledged.toSorted());
  });

  it('has what was written meanwhile exactly once, or it was refused', async () => {
    const small = await makeProject(source);
    const machines: string[] = [];
    const names: string[] = [];
    const others: unknown[] = [];
    const as = { access: source.app.admin };
    const write = async () => {
      await report(source, small);
      const machineID = `machine-${machines.length + others.length}`;
      const registered = await source.app.request('POST', '/v1/agents', {
        as: { project: small.project.token },
        body: { name: machineID, machineID },
      });
      if (registered.status === 201) machines.push(machineID);
      else others.push(registered.body);
      const made = await source.app.request('POST', `/v1/projects/${small.project.id}/tokens`, {
        as,
        body: { name: `token ${count}` },
      });
      if (made.status === 201) names.push(`token ${count}`);
      else others.push(made.body);
      const beat = await source.app.request('POST', `/v1/agents/${small.agent.id}/heartbeat`, {
        as: { agent: small.agent.token },
      });
      if (beat.status !== 204) others.push(beat.body);
    };
    const interesting = /write|freeze|leave|finish/;
    for (const { hooks } of [source, target]) {
      hooks.before = async (step) => {
        if (interesting.test(step)) await write();
      };
    }
    await move(source, target, small.project.id);
    revive([source, target]);
    await write();
    expect(small.acknowledged.length).toBeGreaterThan(4);
    const codes = new Set([
      ...small.refused.map(([, code]) => code),
      ...others.map((body) => (body as { code: string }).code),
    ]);
    expect([...codes].toSorted()).toEqual(['project_moved', 'project_moving']);
    expect(await storedErrors(target, small)).toEqual(small.acknowledged.toSorted());
    const list = async (path: string) => {
      const url = `/v1/projects/${small.project.id}/${path}?last=200`;
      const { body } = await target.app.request<{ name: string }[]>('GET', url, {
        as: { access: target.app.admin },
      });
      return body.map(({ name }) => name).toSorted();
    };
    expect(await list('agents')).toEqual([...machines, 'web-01'].toSorted());
    expect(await list('tokens')).toEqual([...names, 'default'].toSorted());
  });

  it('cannot be finished by a run that is not in charge', async () => {
    const small = await makeProject(source);
    killAt([source, target], 'departure freeze', 'before');
    await expect(move(source, target, small.project.id)).rejects.toThrow();
    revive([source, target]);
    const finished = finishArrival(target.client, {
      projectID: small.project.id,
      body: { runID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d' },
    });
    await expect(finished).rejects.toMatchObject({ code: 'project_move_refused' });
    await move(source, target, small.project.id);
  });
});
