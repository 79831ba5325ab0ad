import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeRows } from '../../../testing/rows/change-rows.ts';
import { readRows } from '../../../testing/rows/read-rows.ts';
import { RolloutScene, soakSeconds, versionedConfig } from '../../../testing/stages/rollout-scene.ts';
import { startTestApp } from '../../../testing/start-test-app.ts';
import { createTestClock } from '../../../testing/test-clock.ts';
import { dropTestDatabase, testEngine } from '../../../testing/test-database.ts';

/** On PostgreSQL a sample is tried: the decisions are the same there, and only its transactions, locks and triggers are its own. */
const isSampled = testEngine === 'postgres';

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
      if (turn % (isSampled ? 18 : 6) === 0) await restart();
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
      if (turn % (isSampled ? 5 : 2) === 0) await restart();
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

interface Cut {
  readonly event: 'insert' | 'update';
  readonly table: string;
  readonly condition?: string;
}

/** A process that is killed within a transaction leaves what one leaves whose transaction fails there. */
async function cutOff({ event, table, condition = '1 = 1' }: Cut, work: () => Promise<void>): Promise<void> {
  const isSqlite = testEngine === 'sqlite';
  await changeRows(
    dataDirectory,
    isSqlite
      ? `create trigger cut before ${event} on ${table} when ${condition} begin select raise(abort, 'cut off'); end`
      : `create function cut_off() returns trigger language plpgsql as $$ begin raise exception 'cut off'; end $$;
         create trigger cut before ${event} on ${table} for each row when (${condition}) execute function cut_off()`,
  );
  await work();
  await changeRows(
    dataDirectory,
    isSqlite ? 'drop trigger cut' : `drop trigger cut on ${table}; drop function cut_off`,
  );
}

const atEvent = (type: string): Cut => ({
  event: 'insert',
  table: 'event_changes',
  condition: `new.type = '${type}'`,
});
const atRecord: Cut = { event: 'insert', table: 'audit_entries' };
const atPublication: Cut = { event: 'insert', table: 'fleet_publications' };
const atRollout: Cut = {
  event: 'update',
  table: 'rollouts',
  condition: 'new.state <> old.state or new.stage <> old.stage',
};

/** Something that is decided: by the service when it looks, or by a person. */
interface Transition {
  readonly cuts: readonly Cut[];
  /** Up to the moment at which it is decided. Returns the id of the rollout. */
  readonly prepare: () => Promise<string>;
  readonly decide: (id: string) => Promise<unknown>;
  readonly state: string;
  /** How many agents then load something. */
  readonly loads: number;
}

/** The service looks, and fails if it is cut off. */
const look = () => scene.app.app.runRollouts();

/** A person asks for it, who is told if it was cut off. */
async function ask(method: string, path: string, body: object): Promise<void> {
  const { status, text } = await scene.call(method, path, body);
  if (status >= 500) throw new Error('cut off');
  if (status >= 300) throw new Error(text);
}

const reason = { reason: 'to try' };

/** Agents that have the version report what others do not, and nobody else gets it meanwhile. */
async function deployBroken(onFailure: 'revert' | 'hold'): Promise<string> {
  const id = await scene.deploy({ onFailure });
  await scene.poll(3);
  for (const agent of scene.updated) await scene.report(agent, 'broken');
  await look();
  await scene.poll(3);
  scene.app.clock.advance(15_000);
  return id;
}

const transitions: Readonly<Record<string, Transition>> = {
  'a stop by itself': {
    cuts: [atEvent('rollout.stopped'), atRecord, atPublication, atRollout],
    prepare: () => deployBroken('revert'),
    decide: look,
    state: 'reverting',
    loads: 1,
  },
  'a version that is put back after a stop': {
    cuts: [atEvent('rollout.stopped'), atRecord, atPublication, atRollout],
    async prepare() {
      const id = await deployBroken('hold');
      await look();
      return id;
    },
    decide: (id) => ask('POST', `/v1/rollouts/${id}/revert`, reason),
    state: 'reverting',
    loads: 1,
  },
  'an approval': {
    cuts: [atEvent('rollout.approved'), atRecord, atRollout],
    async prepare() {
      const id = await scene.deploy({ approval: 'each_stage' });
      await scene.poll(12);
      return id;
    },
    decide: (id) => ask('POST', `/v1/rollouts/${id}/approve`, reason),
    state: 'running',
    loads: 1,
  },
  'the end of a freeze': {
    cuts: [atRollout],
    async prepare() {
      const id = await scene.deploy();
      await scene.poll(2);
      const { clock } = scene.app;
      const endsAt = clock.now() + 300_000;
      const window = {
        startsAt: new Date(clock.now()).toISOString(),
        endsAt: new Date(endsAt).toISOString(),
      };
      const freezeWindows = [{ name: 'launch', ...window }];
      await ask('PATCH', `/v1/projects/${scene.project.id}/freeze_windows`, { freezeWindows });
      while (clock.now() + 15_000 < endsAt) await scene.poll(1);
      expect((await scene.read(id)).state).toBe('waiting');
      clock.advance(15_000);
      return id;
    },
    decide: look,
    state: 'running',
    loads: 1,
  },
  'a value for all agents': {
    cuts: [atEvent('fleet.variables_changed'), atRecord, atPublication],
    async prepare() {
      const id = await scene.deploy({ stages: [{ agents: '100%', soakSeconds }] });
      await scene.poll(24);
      const url = `/v1/fleets/${scene.fleetID}`;
      await ask('PATCH', `${url}/variables`, { set: [{ name: 'region', value: 'eu' }] });
      await ask('PATCH', url, { rawConfig: versionedConfig(3).replace('version3', '{{vars.region}}') });
      await scene.poll(3);
      return id;
    },
    decide: () =>
      ask('PATCH', `/v1/fleets/${scene.fleetID}/variables`, { set: [{ name: 'region', value: 'us' }] }),
    state: 'completed',
    loads: 4,
  },
};

/** One that the service decides and one that a person decides, which between them are cut off at everything that is written. */
const sample = ['a stop by itself', 'a value for all agents'];

it.each(Object.entries(transitions).filter(([name]) => !isSampled || sample.includes(name)))(
  '%s that is cut off anywhere leaves nothing, and is decided once afterwards',
  async (_, { cuts, prepare, decide, state, loads }) => {
    const agentsThatLoad = async () => {
      scene.app.clock.advance(15_000);
      const loaded = await Promise.all(scene.agents.map((agent) => agent.poll()));
      return loaded.filter(Boolean).length;
    };
    const known = async (id: string) => {
      const [rollout, variables, log] = await Promise.all([
        scene.read(id),
        scene.call('GET', `/v1/fleets/${scene.fleetID}/variables`),
        scene.call('GET', `/v1/projects/${scene.project.id}/audit_log`),
      ]);
      return [rollout.state, rollout.stage, rollout.verdict, rollout.approvals, variables.body, log.body];
    };
    const id = await prepare();
    const before = await known(id);
    for (const cut of cuts) {
      await cutOff(cut, () => expect(decide(id), JSON.stringify(cut)).rejects.toThrow('cut off'));
      expect([cut, await known(id)]).toEqual([cut, before]);
    }
    await restart();
    expect(await agentsThatLoad()).toBe(0);
    await decide(id);
    const after = await known(id);
    expect(after).not.toEqual(before);
    await restart();
    expect(await known(id)).toEqual(after);
    expect((await scene.read(id)).state).toBe(state);
    expect(await agentsThatLoad()).toBe(loads);
  },
);

describe('a rollout with a pace whose service is started again and again', () => {
  it('gives the version to no more agents in a minute, and to all of them in the end', async () => {
    const id = await scene.deploy({ stages: [{ agents: '100%', soakSeconds }], maxPerMinute: 1 });
    const startedAt = scene.app.clock.now();
    for (let turn = 0; turn < 30; turn += 1) {
      await scene.poll(1);
      if (turn % (isSampled ? 15 : 5) === 0) await restart();
      expect(scene.updated.length).toBeLessThanOrEqual(1 + (scene.app.clock.now() - startedAt) / 60_000);
    }
    expect(scene.updated.length).toBe(4);
    expect((await scene.read(id)).state).toBe('completed');
  });
});
