import { foldError } from '@muster/faults';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { markAgentsDeleted } from '../../../fleet/agents/deletion/agent-deletion-store.ts';
import { markProjectDeleted } from '../../../fleet/projects/project-store.ts';
import { nothingNoted } from '../../../foundation/counted-portion.ts';
import { countingPartitionOf } from '../../../foundation/database/counting-partition.ts';
import { ErrorGroupStage, type StageReplica } from '../../../testing/stages/error-group-stage.ts';
import { testEngine } from '../../../testing/test-database.ts';
import { addRepeats } from '../../reporting/repeat-store.ts';
import { groupIDOf } from '../identity/error-group.ts';
import { countPortionOnPostgres } from './count-store-postgres.ts';

/** A longer run, to search for defects. */
const runs = rounds(testEngine === 'sqlite' ? 200 : 60);

const pick = fc.nat(50);
const replica = fc.nat(2);
const text = fc.constantFrom('cannot reach host 1', 'cannot reach host 2', 'no space', 'bad key 7');

const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      agent: pick,
      replica,
      texts: fc.array(text, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('dismiss' as const), pick, replica }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reopen' as const), pick, replica }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('repeat' as const), pick, replica }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('configure' as const), agent: pick, replica }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('mute' as const),
      agent: pick,
      text,
      milliseconds: fc.integer({ min: 1, max: 25 }),
      replica,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unmute' as const), agent: pick, text, replica }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteAgent' as const), agent: pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteProject' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retain' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('count' as const), replica }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('kill' as const), pick, replica }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

let stage: ErrorGroupStage;

beforeAll(async () => {
  // Small portions, so that related changes are often in different ones.
  stage = await ErrorGroupStage.open({ replicas: 3, maxChanges: 3 });
});

afterAll(() => stage.close());

interface World {
  readonly projects: string[];
  readonly agents: { readonly id: string; readonly projectID: string }[];
  /** By group, until when it is muted. */
  readonly mutes: Map<string, number>;
}

async function build(): Promise<World> {
  const projects = [await stage.addProject(), await stage.addProject(), await stage.addProject()];
  const agents = [];
  for (const projectID of projects) {
    for (let count = 0; count < 3; count += 1)
      agents.push({ id: await stage.addAgent(projectID), projectID });
  }
  return { projects, agents, mutes: new Map() };
}

function choose<T>(from: readonly T[], number: number): T | undefined {
  return from.length === 0 ? undefined : from[number % from.length];
}

async function errorsOf(world: World, isDismissed: boolean) {
  return stage.first.database.write
    .selectFrom('agent_errors')
    .select(['agent_id', 'id'])
    .where('project_id', 'in', world.projects)
    .where('dismissed_at', isDismissed ? 'is not' : 'is', null)
    .orderBy('id')
    .execute();
}

/** Muted errors of which there are several with one agent, configuration and text. */
function repeatedMutes() {
  return stage.first.database.write
    .selectFrom('agent_errors')
    .select(['agent_id', 'epoch', 'error'])
    .where('is_muted', 'is not', null)
    .groupBy(['agent_id', 'epoch', 'error'])
    .having((eb) => eb.fn.countAll(), '>', 1)
    .execute();
}

/** The session of the replica ends after it has counted a portion, and before the commit. On SQLite, a procedure is one transaction of the writer's thread. */
async function killWhileItCounts({ database }: StageReplica, projectID: string): Promise<void> {
  if (database.engine === 'sqlite') return;
  const request = {
    now: stage.clock.now(),
    heardSince: 0,
    maxChanges: 3,
    partitions: [countingPartitionOf(projectID)],
  };
  const portion = countPortionOnPostgres(database, request, {
    isRead: true,
    async onCounted(trx) {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(trx);
      return nothingNoted;
    },
  });
  await expect(portion).rejects.toThrow();
}

/** @param number of the step */
async function run(world: World, one: Step): Promise<void> {
  stage.clock.advance(1);
  switch (one.kind) {
    case 'report': {
      const agent = choose(world.agents, one.agent);
      if (agent === undefined) break;
      const outcomes = await stage.report(agent.id, agent.projectID, one.texts, stage.replica(one.replica));
      for (const [index, reported] of one.texts.entries()) {
        const outcome = outcomes[index];
        if (outcome?.kind !== 'created' && outcome?.kind !== 'ignored') continue;
        const { isMuted = false } = outcome;
        const mutedUntil = world.mutes.get(groupIDOf(agent.projectID, foldError(reported))) ?? 0;
        const lasts = stage.clock.now() < mutedUntil;
        // A repeat of an open error is a repeat in a muted group too.
        if (outcome.kind === 'created' || !lasts) expect({ isMuted }).toEqual({ isMuted: lasts });
        const { is_muted, dismissed_at } = await stage.first.database.write
          .selectFrom('agent_errors')
          .select(['is_muted', 'dismissed_at'])
          .where('id', '=', outcome.id)
          .executeTakeFirstOrThrow();
        expect([is_muted, dismissed_at !== null]).toEqual(isMuted ? [1, true] : [null, false]);
      }
      break;
    }
    case 'mute': {
      const agent = choose(world.agents, one.agent);
      if (agent === undefined) break;
      const id = groupIDOf(agent.projectID, foldError(one.text));
      const until = stage.clock.now() + one.milliseconds;
      if (await stage.mute(id, until, 'known', stage.replica(one.replica))) world.mutes.set(id, until);
      break;
    }
    case 'unmute': {
      const agent = choose(world.agents, one.agent);
      if (agent === undefined) break;
      const id = groupIDOf(agent.projectID, foldError(one.text));
      await stage.unmute(id, stage.replica(one.replica));
      world.mutes.delete(id);
      break;
    }
    case 'dismiss': {
      const error = choose(await errorsOf(world, false), one.pick);
      if (error !== undefined) await stage.dismiss(error.agent_id, error.id, stage.replica(one.replica));
      break;
    }
    case 'reopen': {
      const error = choose(await errorsOf(world, true), one.pick);
      if (error === undefined) break;
      const { errors } = stage.replica(one.replica);
      const row = await errors.find(error.id);
      if (row !== undefined) await errors.reopen(row);
      break;
    }
    case 'repeat': {
      const error = choose(await errorsOf(world, false), one.pick);
      if (error === undefined) break;
      const { write, engine } = stage.replica(one.replica).database;
      const { id, agent_id: agentID } = error;
      await addRepeats(write, engine, [{ agentID, id, count: 3, lastSeenAt: stage.clock.now() }]);
      break;
    }
    case 'configure': {
      const agent = choose(world.agents, one.agent);
      if (agent !== undefined) await stage.configure(agent.id, stage.replica(one.replica));
      break;
    }
    case 'deleteAgent': {
      const agent = choose(world.agents, one.agent);
      if (agent === undefined) break;
      await markAgentsDeleted(
        stage.first.database.write,
        stage.first.database.engine,
        [agent.id],
        stage.clock.now(),
      );
      await stage.first.errors.deleteOfAgents([agent.id], 2);
      break;
    }
    case 'deleteProject': {
      const id = choose(world.projects, one.pick);
      if (id === undefined) break;
      await markProjectDeleted(stage.first.database.write, id, stage.clock.now());
      await stage.first.errors.deleteOfDeletedProjects(3);
      break;
    }
    case 'retain':
      await stage.first.errors.deleteOfAgents(await listDeletedAgents(), 2);
      await stage.first.errors.deleteDismissed(stage.clock.now() - 10, 2);
      break;
    case 'wait':
      stage.clock.advance(10);
      break;
    case 'kill':
      await killWhileItCounts(stage.replica(one.replica), choose(world.projects, one.pick) ?? '');
      break;
    case 'count':
      await stage.replica(one.replica).counter.catchUp();
      break;
  }
}

/** Follows which errors came back after they had been dismissed, by what is stored after each step. */
class Returns {
  readonly #world: World;
  readonly #returned = new Set<string>();
  readonly #everDismissed = new Set<string>();
  #before = new Map<string, StoredError>();
  /** Dismissed while their agents had the configuration. */
  readonly #dismissed = new Map<string, StoredError>();

  constructor(world: World) {
    this.#world = world;
  }

  async follow(): Promise<void> {
    const after = await readErrors(this.#world);
    for (const error of after) {
      const known = this.#before.get(error.id);
      if (known === undefined) {
        if ([...this.#dismissed.values()].some((one) => isSameCause(one, error)))
          this.#returned.add(error.id);
      } else if (known.isOpen && !error.isOpen) {
        this.#everDismissed.add(groupOf(error));
        if (error.isCurrent) this.#dismissed.set(error.id, error);
      } else if (!known.isOpen && error.isOpen) {
        this.#dismissed.delete(error.id);
        // It was open before, and is no new one.
        this.#returned.delete(error.id);
      }
    }
    this.#before = new Map(after.map((error) => [error.id, error]));
  }

  async expectMarked(): Promise<void> {
    const rows = await stage.first.database.write
      .selectFrom('agent_error_groups')
      .select(['id', 'regressed_at'])
      .where('project_id', 'in', this.#world.projects)
      .execute();
    const marked = new Set(rows.filter((row) => row.regressed_at !== null).map(({ id }) => id));
    const back = [...this.#before.values()].filter(
      (error) => error.isOpen && error.isCurrent && this.#returned.has(error.id),
    );
    expect(back.map(groupOf).filter((id) => !marked.has(id))).toEqual([]);
    expect([...marked].filter((id) => !this.#everDismissed.has(id))).toEqual([]);
  }
}

interface StoredError {
  readonly id: string;
  readonly agentID: string;
  readonly projectID: string;
  readonly error: string;
  readonly isOpen: boolean;
  /** Whether its agent has the configuration in which it was created. */
  readonly isCurrent: boolean;
}

async function readErrors({ projects }: World): Promise<StoredError[]> {
  const rows = await stage.first.database.write
    .selectFrom('agent_errors')
    .innerJoin('agents', 'agents.id', 'agent_errors.agent_id')
    .select(['agent_errors.id', 'agent_errors.agent_id', 'agent_errors.project_id', 'error', 'dismissed_at'])
    .select(['agent_errors.epoch', 'agents.epoch as epoch_of_agent'])
    .where('agent_errors.project_id', 'in', projects)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    agentID: row.agent_id,
    projectID: row.project_id,
    error: row.error,
    isOpen: row.dismissed_at === null,
    isCurrent: row.epoch === row.epoch_of_agent,
  }));
}

const groupOf = ({ projectID, error }: StoredError): string => groupIDOf(projectID, foldError(error));

const isSameCause = (one: StoredError, other: StoredError): boolean =>
  one.agentID === other.agentID && groupOf(one) === groupOf(other);

describe('counts of groups', () => {
  it('are equal to a plain count of the errors, after any events in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const world = await build();
        for (const one of steps) await run(world, one);
        await stage.first.counter.drain();
        const { stored, counted } = await stage.countAll();
        expect(stored).toEqual(counted);
        expect(await repeatedMutes()).toEqual([]);
      }),
      { numRuns: runs },
    );
    expect(stage.failures).toEqual([]);
  });

  it('go with regressions: an error that was dismissed and is back marks its group', async () => {
    const kinds = new Set(['report', 'dismiss', 'reopen', 'configure', 'count']);
    const steps = fc.array(
      step.filter(({ kind }) => kinds.has(kind)),
      { minLength: 10, maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const world = await build();
        const back = new Returns(world);
        for (const one of taken) {
          // An error is no longer current once its agent is known to have another configuration.
          if (one.kind === 'configure') await stage.first.counter.drain();
          await run(world, one);
          await back.follow();
        }
        await stage.first.counter.drain();
        await back.expectMarked();
      }),
      { numRuns: runs },
    );
  });

  it('are right if an agent had two further configurations before the first one was counted', async () => {
    const projectID = await stage.addProject();
    const agentID = await stage.addAgent(projectID);
    // As many changes as a portion takes, with the first configuration.
    await stage.report(agentID, projectID, ['no space', 'bad key 7']);
    await stage.configure(agentID);
    await stage.report(agentID, projectID, ['cannot reach host 1']);
    await stage.configure(agentID);
    await stage.first.counter.drain();
    const { stored, counted } = await stage.countAll();
    expect(stored).toEqual(counted);
  });
});

async function listDeletedAgents(): Promise<string[]> {
  const agents = stage.first.database.write.selectFrom('agents').select('id');
  return (await agents.where('deleted_at', 'is not', null).execute()).map(({ id }) => id);
}
