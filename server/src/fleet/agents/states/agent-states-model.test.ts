import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { recountFleet } from '../../../testing/rows/recount-fleet.ts';
import { ErrorGroupStage, type StageReplica } from '../../../testing/stages/error-group-stage.ts';
import { testEngine } from '../../../testing/test-database.ts';
import { markProjectDeleted } from '../../projects/project-store.ts';
import { listAgents } from '../agent-list-store.ts';
import { markAgentsDeleted } from '../deletion/agent-deletion-store.ts';
import { describeStatus } from '../liveness/agent-status.ts';
import { noSigns, type SignsOfAgent } from '../liveness/signs-of-agent.ts';
import { addSigns, deleteSigns } from '../liveness/signs-store.ts';
import { SilenceWatch } from './silence-watch.ts';

/** A longer run, to search for defects. */
const runs = rounds(testEngine === 'sqlite' ? 200 : 60);

const pick = fc.nat(50);
const replica = fc.nat(1);
const record = fc.record;
const kind = <Kind extends string>(name: Kind) => fc.constant(name);

const step = fc.oneof(
  { weight: 8, arbitrary: record({ kind: kind('report'), agent: pick, text: fc.nat(3), replica }) },
  { weight: 5, arbitrary: record({ kind: kind('dismiss'), pick, replica }) },
  { weight: 3, arbitrary: record({ kind: kind('reopen'), pick, replica }) },
  { weight: 3, arbitrary: record({ kind: kind('configure'), agent: pick, replica }) },
  {
    weight: 5,
    arbitrary: record({ kind: kind('beat'), agent: pick, promise: fc.option(fc.nat(2)), replica }),
  },
  { weight: 4, arbitrary: record({ kind: kind('stop'), agent: pick, isFailure: fc.boolean(), replica }) },
  { weight: 3, arbitrary: record({ kind: kind('describe'), agent: pick, version: fc.nat(2) }) },
  { weight: 2, arbitrary: record({ kind: kind('register') }) },
  { weight: 1, arbitrary: record({ kind: kind('deleteAgent'), agent: pick }) },
  { weight: 1, arbitrary: record({ kind: kind('restart') }) },
  { weight: 5, arbitrary: record({ kind: kind('wait'), seconds: fc.constantFrom(1, 30, 95, 700) }) },
  { weight: 4, arbitrary: record({ kind: kind('count'), replica }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

let stage: ErrorGroupStage;
let watches: SilenceWatch[];
/** Since when the service has listened. */
let heardSince = 0;

beforeAll(async () => {
  stage = await ErrorGroupStage.open({ replicas: 2, maxChanges: 3, heardSince: () => heardSince });
  heardSince = stage.clock.now();
  watches = stage.replicas.map(
    ({ database }) =>
      new SilenceWatch({
        database,
        clock: stage.clock.now,
        listening: {
          get since() {
            return heardSince;
          },
        },
        signs: { flush: () => Promise.resolve() },
        closing: new AbortController().signal,
      }),
  );
});

afterAll(() => stage.close());

interface World {
  readonly projectID: string;
  readonly agents: string[];
}

function choose<T>(from: readonly T[], number: number): T | undefined {
  return from.length === 0 ? undefined : from[number % from.length];
}

async function errorsOf({ projectID }: World, isDismissed: boolean) {
  return stage.first.database.write
    .selectFrom('agent_errors')
    .select(['agent_id', 'id'])
    .where('project_id', '=', projectID)
    .where('dismissed_at', isDismissed ? 'is not' : 'is', null)
    .orderBy('id')
    .execute();
}

async function add(agentID: string, signs: Partial<SignsOfAgent>, { database }: StageReplica): Promise<void> {
  const seen = { ...noSigns(), seenAt: stage.clock.now(), ...signs };
  await addSigns(database, new Map([[agentID, seen]]), heardSince);
}

async function run(world: World, one: Step): Promise<void> {
  stage.clock.advance(1);
  const now = stage.clock.now();
  const on = stage.replica('replica' in one ? one.replica : 0);
  const agent = 'agent' in one ? choose(world.agents, one.agent) : undefined;
  switch (one.kind) {
    case 'register':
      world.agents.push(await stage.addAgent(world.projectID));
      break;
    case 'report':
      if (agent !== undefined) await stage.report(agent, world.projectID, [`broken ${'abcd'[one.text]}`], on);
      break;
    case 'dismiss': {
      const error = choose(await errorsOf(world, false), one.pick);
      if (error !== undefined) await stage.dismiss(error.agent_id, error.id, on);
      break;
    }
    case 'reopen': {
      const error = choose(await errorsOf(world, true), one.pick);
      const row = error && (await on.errors.find(error.id));
      if (row !== undefined) await on.errors.reopen(row);
      break;
    }
    case 'configure':
      if (agent !== undefined) await stage.configure(agent, on);
      break;
    case 'beat': {
      const promised = one.promise === null ? {} : { promisedMilliseconds: one.promise * 40_000 };
      if (agent !== undefined) await add(agent, { firstBeatAt: now, lastBeatAt: now, ...promised }, on);
      break;
    }
    case 'stop': {
      const { isFailure } = one;
      const failed = isFailure ? { failures: 1, failingSince: now, failedAt: now } : {};
      const stop = { at: now, isFailure, exitCode: isFailure ? 1 : 0, signal: null };
      if (agent !== undefined) await add(agent, { stop, ...failed }, on);
      break;
    }
    case 'describe':
      if (agent === undefined) break;
      await stage.first.database.write
        .updateTable('agents')
        .set({ type: 'fluentbit', version: `1.${one.version}`, last_seen_at: now })
        .where('id', '=', agent)
        .where('deleted_at', 'is', null)
        .execute();
      break;
    case 'deleteAgent':
      if (agent === undefined) break;
      await markAgentsDeleted(stage.first.database.write, stage.first.database.engine, [agent], now);
      await deleteSigns(stage.first.database, world.projectID, [agent]);
      await stage.first.errors.deleteOfAgents([agent], 2);
      break;
    case 'restart':
      heardSince = now;
      break;
    case 'wait':
      stage.clock.advance(one.seconds * 1_000);
      break;
    case 'count':
      await watches[one.replica % watches.length]?.look();
      await on.counter.catchUp();
      break;
  }
}

/** The status of each agent by the events that were written. Fails if an event does not follow from those before it. */
async function followEvents(projectID: string): Promise<Map<string, string>> {
  const { rows } = await sql<{ type: string; data: string }>`
    select type, data from ${sql.table(testEngine === 'sqlite' ? 'events' : 'event_changes')}
    where project_id = ${projectID} and type in ('agent.registered', 'agent.status_changed', 'agent.deleted')
    order by ${sql.ref(testEngine === 'sqlite' ? 'sequence' : 'key')}`.execute(stage.first.database.write);
  const statuses = new Map<string, string>();
  for (const { type, data } of rows) {
    const event = JSON.parse(data) as { agentID: string } & StatusEvent;
    if (type === 'agent.registered') statuses.set(event.agentID, 'healthy');
    else if (type === 'agent.deleted') statuses.delete(event.agentID);
    else {
      for (const { agentID, before } of event.agents) {
        // Its deletion may be counted later.
        if (!statuses.has(agentID)) continue;
        expect(before ?? 'healthy').toBe(statuses.get(agentID));
        expect(event.status).not.toBe(before);
        statuses.set(agentID, event.status);
      }
    }
  }
  return statuses;
}

interface StatusEvent {
  readonly status: string;
  readonly agents: readonly { readonly agentID: string; readonly before: string | null }[];
}

async function statusesOf(projectID: string): Promise<Map<string, string>> {
  const { database } = stage.first;
  const filter = { projectID, status: undefined, name: undefined, tag: undefined, fleetID: undefined };
  const moment = { now: stage.clock.now(), heardSince };
  const page = { limit: 100, before: undefined };
  const { rows } = await listAgents(database.write, database.engine, filter, page, moment);
  return new Map(rows.map((row) => [row.id, describeStatus(row, moment).status]));
}

/** After time has passed, so that a replica looks again. */
async function countAll(projectID: string) {
  stage.clock.advance(1_000);
  for (const watch of watches) await watch.look();
  await stage.first.counter.drain();
  return recountFleet(stage.first.database, projectID, { now: stage.clock.now(), heardSince });
}

describe('the counts of a project', () => {
  it('are equal to a plain count of its agents and errors, after any events in any order, and each change is told of once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const projectID = await stage.addProject();
        const agents = [await stage.addAgent(projectID), await stage.addAgent(projectID)];
        for (const one of steps) await run({ projectID, agents }, one);
        const { stored, counted } = await countAll(projectID);
        expect(stored).toEqual(counted);
        expect(await followEvents(projectID)).toEqual(await statusesOf(projectID));
        await markProjectDeleted(stage.first.database.write, projectID, stage.clock.now());
      }),
      { numRuns: runs },
    );
    expect(stage.failures).toEqual([]);
  });
});
