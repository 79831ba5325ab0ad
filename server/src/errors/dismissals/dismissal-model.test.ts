import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../../../../test/rounds.ts';
import { idAtPlaceSql } from '../../foundation/database/id-place.ts';
import { DismissalStage } from '../../testing/stages/dismissal-stage.ts';
import { ErrorGroupStage } from '../../testing/stages/error-group-stage.ts';
import { testEngine } from '../../testing/test-database.ts';
import type { DismissalRunner } from './dismissal-runner.ts';
import { findDismissal, startUndo } from './dismissal-store.ts';

/** More runs, for whoever looks for a fault. */
const runs = rounds(testEngine === 'sqlite' ? 150 : 60);

const pick = fc.nat(50);
const replica = fc.nat(1);
const texts = ['cannot reach host 1', 'cannot reach host 2', 'no space', 'bad key 7'];
const filters = [{ all: true }, { q: 'HOST' }, { error: 'no space' }, { current: true }, { current: false }];

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      agent: pick,
      replica,
      texts: fc.uniqueArray(fc.constantFrom(...texts), { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('request' as const), filter: fc.nat(5), agent: pick, replica }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('turn' as const), pick, replica }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('turnsAtOnce' as const), pick, agent: pick }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('undo' as const), pick, replica }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('kill' as const), replica }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('dismiss' as const), pick, replica }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reopen' as const), pick, replica }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('configure' as const), agent: pick, replica }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retain' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('count' as const), replica }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

let stage: ErrorGroupStage;
let jobs: DismissalStage;

beforeAll(async () => {
  stage = await ErrorGroupStage.open({ replicas: 2 });
  jobs = new DismissalStage(stage);
});

afterAll(() => stage.close());

/** What a dismissal must have done, by what was seen of its errors. */
interface Job {
  readonly id: string;
  /** Errors that were open and had the text and agent of the filter when it was requested. */
  readonly wanted: ReadonlySet<string>;
  /** The same, with those that were dismissed and may be reopened before it comes to them. */
  readonly allowed: ReadonlySet<string>;
  readonly takesAll: boolean;
  readonly dismissed: Set<string>;
  readonly agents: Set<string>;
  dismissedCount: number;
}

interface World {
  readonly projectID: string;
  readonly agents: readonly string[];
  readonly jobs: Job[];
  readonly runners: DismissalRunner[];
  /** Errors that were reopened, by whatever. */
  readonly reopened: Set<string>;
}

interface StoredError {
  readonly id: string;
  readonly agent_id: string;
  readonly error: string;
  readonly epoch: number;
  readonly dismissed_at: number | null;
  readonly dismissal_id: string | null;
}

function choose<T>(from: readonly T[], number: number): T | undefined {
  return from.length === 0 ? undefined : from[number % from.length];
}

async function build(): Promise<World> {
  const projectID = await stage.addProject();
  const agents: string[] = [];
  for (let count = 0; count < 3; count += 1) agents.push(await stage.addAgent(projectID));
  const runners = [await jobs.startRunner(stage.replica(0)), await jobs.startRunner(stage.replica(1))];
  return { projectID, agents, jobs: [], runners, reopened: new Set() };
}

async function readErrors({ projectID }: World): Promise<StoredError[]> {
  return stage.first.database.write
    .selectFrom('agent_errors')
    .select(['id', 'agent_id', 'error', 'epoch', 'dismissed_at', 'dismissal_id'])
    .where('project_id', '=', projectID)
    .orderBy('id')
    .execute();
}

async function run(world: World, one: Step): Promise<void> {
  stage.clock.advance(1);
  switch (one.kind) {
    case 'report': {
      const agentID = choose(world.agents, one.agent) ?? '';
      await stage.report(agentID, world.projectID, one.texts, stage.replica(one.replica));
      break;
    }
    case 'request':
      await request(world, one.filter, one.agent, one.replica);
      break;
    case 'turn': {
      const job = choose(world.jobs, one.pick);
      const runner = choose(world.runners, one.replica);
      if (job !== undefined && runner !== undefined) await runner.takeTurn(job.id, world.projectID);
      break;
    }
    case 'turnsAtOnce': {
      const job = choose(world.jobs, one.pick);
      if (job === undefined) break;
      // Both may take it: the lease has ended.
      stage.clock.advance(15_000);
      const agentID = choose(world.agents, one.agent) ?? '';
      await Promise.all([
        ...world.runners.map((runner) => runner.takeTurn(job.id, world.projectID)),
        stage.report(agentID, world.projectID, texts.slice(0, 2), stage.replica(1)),
      ]);
      break;
    }
    case 'undo': {
      const job = choose(world.jobs, one.pick);
      const runner = choose(world.runners, one.replica);
      if (job === undefined || runner === undefined) break;
      const by = { kind: 'user', id: null } as const;
      await startUndo(stage.replica(one.replica).database.write, job.id, by, runner.lease());
      break;
    }
    case 'kill':
      world.runners[one.replica] = await jobs.startRunner(stage.replica(one.replica));
      break;
    case 'dismiss': {
      const error = choose((await readErrors(world)).filter(isOpen), one.pick);
      if (error !== undefined) {
        const row = await stage.first.errors.find(error.id);
        if (row !== undefined) await stage.dismiss(row.agent_id, row.id, stage.replica(one.replica));
      }
      break;
    }
    case 'reopen': {
      const dismissed = (await readErrors(world)).filter((error) => !isOpen(error));
      const row = await stage.first.errors.find(choose(dismissed, one.pick)?.id ?? stage.newID());
      if (row !== undefined) await stage.replica(one.replica).errors.reopen(row);
      break;
    }
    case 'configure':
      await stage.configure(choose(world.agents, one.agent) ?? '', stage.replica(one.replica));
      break;
    case 'retain':
      await stage.first.errors.deleteDismissed(stage.clock.now() - 10, 2);
      break;
    case 'count':
      await stage.replica(one.replica).counter.catchUp();
      break;
  }
}

const isOpen = ({ dismissed_at: at }: StoredError): boolean => at === null;

async function request(world: World, filterNumber: number, agent: number, number: number): Promise<void> {
  const agentID = choose(world.agents, agent) ?? '';
  const filter = filters[filterNumber] ?? { agentIDs: [agentID] };
  const runner = choose(world.runners, number);
  if (runner === undefined) return;
  const isWanted = ({ agent_id: agentOfError, error }: StoredError): boolean => {
    if ('q' in filter) return error.includes('host');
    if ('error' in filter) return error === 'no space';
    return !('agentIDs' in filter) || agentOfError === agentID;
  };
  const matching = (await readErrors(world)).filter(isWanted);
  world.jobs.push({
    id: await jobs.request(world.projectID, filter, runner),
    wanted: new Set(matching.filter(isOpen).map(({ id }) => id)),
    allowed: new Set(matching.map(({ id }) => id)),
    takesAll: !('current' in filter),
    dismissed: new Set(),
    agents: new Set(),
    dismissedCount: 0,
  });
}

/** Counts what a step has changed in the errors of each dismissal. */
function follow(world: World, before: readonly StoredError[], after: readonly StoredError[]): void {
  const earlier = new Map(before.map((error) => [error.id, error]));
  for (const error of after) {
    const known = earlier.get(error.id);
    if (known === undefined) continue;
    if (!isOpen(known) && isOpen(error)) world.reopened.add(error.id);
    for (const job of world.jobs) {
      const [had, has] = [known.dismissal_id === job.id, error.dismissal_id === job.id];
      if (!had && has) {
        job.dismissedCount += 1;
        job.dismissed.add(error.id);
        job.agents.add(error.agent_id);
      }
    }
  }
}

async function expectWholeJobs(world: World): Promise<void> {
  const errors = await readErrors(world);
  for (const job of world.jobs) {
    const row = await findDismissal(stage.first.database.write, job.id);
    expect([row?.state, row?.errors_count, row?.agents_count]).toEqual([
      row?.undo_requested_at === null ? 'done' : 'undone',
      job.dismissedCount,
      job.agents.size,
    ]);
    expect([...job.dismissed].filter((id) => !job.allowed.has(id))).toEqual([]);
    const left = errors.filter(({ dismissal_id: id }) => id === job.id);
    if (row?.state === 'undone') expect(left).toEqual([]);
    else {
      expect(new Set(left.map(({ dismissed_at: at }) => at)).size).toBeLessThanOrEqual(1);
      const missed = errors.filter(
        (error) => isOpen(error) && job.wanted.has(error.id) && !world.reopened.has(error.id),
      );
      expect(job.takesAll ? missed : []).toEqual([]);
    }
  }
  const open = errors
    .filter(isOpen)
    .map(({ agent_id: agentID, epoch, error }) => `${agentID} ${epoch} ${error}`);
  expect(open).toHaveLength(new Set(open).size);
}

describe('dismissals', () => {
  it('dismiss what was there, once, and reopen that, whatever happens meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const world = await build();
        let before = await readErrors(world);
        const look = async (): Promise<void> => {
          const after = await readErrors(world);
          follow(world, before, after);
          before = after;
        };
        for (const one of steps) {
          await run(world, one);
          await look();
        }
        stage.clock.advance(15_000);
        for (const { id } of world.jobs) {
          const [runner] = world.runners;
          for (let isLeft = true; isLeft; await look())
            isLeft = (await runner?.takeTurn(id, world.projectID)) ?? false;
        }
        await expectWholeJobs(world);
        await stage.first.counter.drain();
        const { stored, counted } = await stage.countAll();
        expect(stored).toEqual(counted);
      }),
      { numRuns: runs },
    );
    expect(jobs.failures).toEqual([]);
    expect(stage.failures).toEqual([]);
  });

  it('reopen the newest of equal errors, unless one is open', async () => {
    const dismissedError = fc.record({
      agent: fc.nat(1),
      text: fc.constantFrom('full', 'down'),
      isDismissedAgain: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(dismissedError, { minLength: 1, maxLength: 12 }),
        fc.option(fc.record({ agent: fc.nat(1), text: fc.constantFrom('full', 'down') })),
        async (wanted, open) => {
          const world = await build();
          const [runner] = world.runners;
          if (runner === undefined) throw new Error('a world has runners');
          const report = async (agent: number, text: string): Promise<string> => {
            stage.clock.advance(1);
            const agentID = choose(world.agents, agent) ?? '';
            const [outcome] = await stage.report(agentID, world.projectID, [text]);
            if (outcome?.kind !== 'created') throw new Error('each equal error was dismissed');
            return outcome.id;
          };
          const reopened = new Map<string, string>();
          const dismissedAgain: string[] = [];
          for (const { agent, text, isDismissedAgain } of wanted) {
            const id = await report(agent, text);
            await stage.dismiss(choose(world.agents, agent) ?? '', id);
            if (isDismissedAgain) dismissedAgain.push(id);
            else reopened.set(`${agent} ${text}`, id);
          }
          const dismissalID = await jobs.request(world.projectID, { all: true }, runner);
          while (await runner.takeTurn(dismissalID, world.projectID));
          await moveTo(dismissalID, world.projectID, dismissedAgain);
          if (open !== null) reopened.set(`${open.agent} ${open.text}`, await report(open.agent, open.text));
          await startUndo(
            stage.first.database.write,
            dismissalID,
            { kind: 'user', id: null },
            runner.lease(),
          );
          while (await runner.takeTurn(dismissalID, world.projectID));
          const errors = await readErrors(world);
          expect(new Set(errors.filter(isOpen).map(({ id }) => id))).toEqual(new Set(reopened.values()));
          expect(errors.filter(({ dismissal_id: id }) => id !== null)).toEqual([]);
        },
      ),
      { numRuns: runs },
    );
  });

  /** As if the dismissal had dismissed all errors of the project, and somebody some of them again. */
  async function moveTo(dismissalID: string, projectID: string, again: readonly string[]): Promise<void> {
    const db = stage.first.database.write;
    const id = testEngine === 'sqlite' ? sql.raw(idAtPlaceSql) : sql`agent_errors.id`;
    const isAgain = again.length === 0 ? sql`1 = 0` : sql`${id} in (${sql.join(again)})`;
    const dismissedAt = sql`requested_at + case when ${isAgain} then 1 else 0 end`;
    if (testEngine === 'postgres') {
      await sql`
        update agent_errors set dismissal_id = dismissals.id, dismissed_at = ${dismissedAt}
        from dismissals
        where dismissals.id = ${dismissalID} and agent_errors.project_id = ${projectID}`.execute(db);
      return;
    }
    await sql`
      update agent_error_rows set dismissal = dismissals.key, dismissed_at = ${dismissedAt}
      from dismissals
      where dismissals.id = ${dismissalID}
        and project_key = (select key from id_keys where id = ${projectID})`.execute(db);
  }
});
