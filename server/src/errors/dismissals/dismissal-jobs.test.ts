import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markProjectDeleted } from '../../fleet/projects/project-store.ts';
import { DismissalStage } from '../../testing/stages/dismissal-stage.ts';
import { ErrorGroupStage } from '../../testing/stages/error-group-stage.ts';
import { createDismissedErrorStore } from './create-dismissed-error-store.ts';
import { deleteCountedAgents, deleteEnded, findDismissal, startUndo } from './dismissal-store.ts';

let stage: ErrorGroupStage;
let jobs: DismissalStage;

beforeAll(async () => {
  stage = await ErrorGroupStage.open({ replicas: 2 });
  jobs = new DismissalStage(stage);
});

afterAll(async () => {
  await stage.close();
  expect(jobs.failures).toEqual([]);
});

/** Two agents with five errors each. */
async function build() {
  const projectID = await stage.addProject();
  const agents = [await stage.addAgent(projectID), await stage.addAgent(projectID)];
  for (const agentID of agents) {
    await stage.report(
      agentID,
      projectID,
      ['a', 'b', 'c', 'd', 'e'].map((letter) => `no host ${letter}`),
    );
  }
  return { projectID, agents };
}

async function read(id: string) {
  const row = await findDismissal(stage.first.database.write, id);
  if (row === undefined) throw new Error('the dismissal is stored');
  const { state, errors_count: errors, agents_count: agents, reopened_count: reopened } = row;
  return { state, errors, agents, reopened };
}

async function countOpen(projectID: string): Promise<number> {
  const rows = await stage.first.database.write
    .selectFrom('agent_errors')
    .select('id')
    .where('project_id', '=', projectID)
    .where('dismissed_at', 'is', null)
    .execute();
  return rows.length;
}

async function groupsOf(projectID: string) {
  await stage.first.counter.catchUp();
  return stage.first.database.write
    .selectFrom('agent_error_groups')
    .selectAll()
    .where('project_id', '=', projectID)
    .orderBy('example')
    .execute();
}

const all = { all: true };
const leaseMilliseconds = 15_000;
const operator = { kind: 'user', id: null } as const;

describe('the job of a dismissal', () => {
  it.each(['its groups', 'all'] as const)(
    'of %s notes that agents went on reporting a cause',
    async (selected) => {
      const { projectID, agents } = await build();
      const [first = '', second = ''] = agents;
      const runner = await jobs.startRunner();
      stage.clock.advance(1_000);
      const filter = selected === 'all' ? all : { groupIDs: (await groupsOf(projectID)).map(({ id }) => id) };
      const id = await jobs.request(projectID, filter, runner);
      const requestedAt = stage.clock.now();
      stage.clock.advance(1_000);
      await runner.takeTurn(id, projectID);
      await stage.report(first, projectID, ['no host a']);
      const regressedAt = stage.clock.now();
      stage.clock.advance(1_000);
      await stage.report(second, projectID, ['disk full', 'no host a']);
      const outcome = async () =>
        (await groupsOf(projectID)).map(({ example, current_errors, dismissed_at, regressed_at }) => [
          example,
          current_errors,
          dismissed_at,
          regressed_at,
        ]);
      expect(await outcome()).toContainEqual(['no host a', 2, null, regressedAt]);
      await runner.run();
      expect(await outcome()).toEqual([
        ['disk full', 1, null, null],
        ['no host a', 1, null, regressedAt],
        ...['b', 'c', 'd', 'e'].map((letter) => [`no host ${letter}`, 0, requestedAt, null]),
      ]);
      stage.clock.advance(1_000);
      await stage.report(await stage.addAgent(projectID), projectID, ['no host a']);
      expect(await outcome()).toContainEqual(['no host a', 2, null, regressedAt]);
    },
  );

  it('leaves a cause as it was when it is undone, whatever agents reported meanwhile', async () => {
    const { projectID, agents } = await build();
    const runner = await jobs.startRunner();
    const regressions = async () => (await groupsOf(projectID)).map(({ regressed_at }) => regressed_at);
    const dismissAll = async () => {
      stage.clock.advance(1_000);
      const id = await jobs.request(projectID, all, runner);
      await runner.run();
      stage.clock.advance(1_000);
      return id;
    };
    const undo = async (id: string) => {
      stage.clock.advance(1_000);
      await startUndo(stage.first.database.write, id, operator, runner.lease());
      await runner.run();
    };
    const first = await dismissAll();
    await regressions();
    await stage.report(agents[0] ?? '', projectID, ['no host a', 'no host b']);
    const backAt = stage.clock.now();
    expect(await regressions()).toEqual([backAt, backAt, null, null, null]);
    const second = await dismissAll();
    await stage.report(agents[1] ?? '', projectID, ['no host a', 'no host c']);
    const againAt = stage.clock.now();
    expect(await regressions()).toEqual([againAt, null, againAt, null, null]);
    await undo(second);
    // That of c began after the first dismissal, which still stands.
    expect(await regressions()).toEqual([backAt, backAt, againAt, null, null]);
    await undo(first);
    expect(await regressions()).toEqual([null, null, null, null, null]);
  });

  it('of other errors than all of a group notes when one of them is back', async () => {
    const { projectID, agents } = await build();
    const runner = await jobs.startRunner();
    stage.clock.advance(1_000);
    const id = await jobs.request(projectID, { agentIDs: [agents[0]] }, runner);
    await runner.takeTurn(id, projectID);
    await stage.report(agents[0] ?? '', projectID, ['no host a']);
    await runner.run();
    const backAt = stage.clock.now();
    expect((await groupsOf(projectID)).map(({ regressed_at }) => regressed_at)).toEqual([
      backAt,
      ...Array(4).fill(null),
    ]);
  });

  it('does one turn at a time, and tells its progress', async () => {
    const { projectID, agents } = await build();
    const runner = await jobs.startRunner();
    const id = await jobs.request(projectID, all, runner);
    jobs.told.length = 0;
    expect(await runner.takeTurn(id, projectID)).toBe(true);
    expect(await read(id)).toEqual({ state: 'running', errors: 4, agents: 1, reopened: 0 });
    expect(jobs.told).toEqual([`${agents[0]} dismissed`, `${agents[0]} dismissed`]);
    expect(await runner.takeTurn(id, projectID)).toBe(true);
    expect(await read(id)).toEqual({ state: 'running', errors: 8, agents: 2, reopened: 0 });
    expect(await runner.takeTurn(id, projectID)).toBe(false);
    expect(await read(id)).toEqual({ state: 'done', errors: 10, agents: 2, reopened: 0 });
    expect(await countOpen(projectID)).toBe(0);
    expect(await runner.takeTurn(id, projectID)).toBe(false);
  });

  it('goes on where the process before it was killed', async () => {
    const { projectID } = await build();
    const killed = await jobs.startRunner();
    const id = await jobs.request(projectID, all, killed);
    await killed.takeTurn(id, projectID);
    stage.clock.advance(leaseMilliseconds);
    const next = await jobs.startRunner(stage.replica(1));
    await next.run();
    expect(await read(id)).toEqual({ state: 'done', errors: 10, agents: 2, reopened: 0 });
  });

  it('is left to the process that works on it, until its lease ends or it closes', async () => {
    const { projectID } = await build();
    const other = await jobs.startRunner(stage.replica(1));
    const first = await jobs.startRunner();
    const id = await jobs.request(projectID, all, first);
    await first.takeTurn(id, projectID);
    expect(await other.takeTurn(id, projectID)).toBe(false);
    await other.run();
    expect(await read(id)).toMatchObject({ state: 'running', errors: 4 });
    await first.close();
    expect(await other.takeTurn(id, projectID)).toBe(true);
    expect(await first.takeTurn(id, projectID)).toBe(false);
    await other.run();
    expect(await read(id)).toEqual({ state: 'done', errors: 10, agents: 2, reopened: 0 });
  });

  it('is not left to a process whose clock was ahead and that is gone', async () => {
    const { projectID } = await build();
    const hour = 3_600_000;
    stage.clock.advance(hour);
    const ahead = await jobs.startRunner();
    const id = await jobs.request(projectID, all, ahead);
    stage.clock.advance(-hour);
    const other = await jobs.startRunner(stage.replica(1));
    await other.run();
    expect(await read(id)).toMatchObject({ state: 'done', errors: 10 });
    stage.clock.advance(hour);
  });

  it('undoes the dismissal of superseded errors for as long as new ones are open', async () => {
    const { projectID, agents } = await build();
    const [agentID = ''] = agents;
    const { errors, counter, database } = stage.first;
    await stage.configure(agentID);
    await counter.drain();
    const runner = await jobs.startRunner();
    const id = await jobs.request(projectID, { agentIDs: agents }, runner);
    await runner.run();
    stage.clock.advance(9 * 86_400_000);
    await startUndo(database.write, id, operator, runner.lease());
    await runner.run();
    await counter.drain();
    expect(await read(id)).toMatchObject({ state: 'undone', reopened: 10 });
    expect(await errors.dismissSuperseded(stage.clock.now(), stage.clock.now(), 100)).toEqual([]);
    stage.clock.advance(1);
    const dismissed = await errors.dismissSuperseded(stage.clock.now(), stage.clock.now(), 100);
    expect(dismissed).toEqual(Array.from({ length: 5 }, () => agentID));
  });

  it('does no portion twice, whoever has the same one at hand', async () => {
    const { projectID, agents } = await build();
    const runner = await jobs.startRunner();
    const id = await jobs.request(projectID, all, runner);
    const { database } = stage.first;
    const store = createDismissedErrorStore(database);
    const step = { after: null, rows: 100 };
    const { found } = await store.find(database.search, { projectID, boundID: id }, step, 100);
    const { holder, now, until: leaseUntil } = runner.lease();
    const [error] = found;
    const portion = {
      dismissalID: id,
      holder,
      errors: found.slice(0, 1),
      cursorBefore: null,
      cursorAfter: error?.id ?? '',
      isLast: false,
      now,
      leaseUntil,
    };
    const outcomes = await Promise.all([
      store.dismiss(portion),
      createDismissedErrorStore(stage.replica(1).database).dismiss(portion),
    ]);
    expect(outcomes).toContainEqual({ agentIDs: [agents[0]], isDone: false });
    expect(outcomes).toContain(undefined);
    expect(await store.dismiss({ ...portion, cursorBefore: error?.id ?? '', holder: stage.newID() })).toBe(
      undefined,
    );
    expect(await read(id)).toEqual({ state: 'running', errors: 1, agents: 1, reopened: 0 });
    await runner.run();
  });

  it('leaves alone what is reported while it runs', async () => {
    const { projectID, agents } = await build();
    const [first = ''] = agents;
    const runner = await jobs.startRunner();
    const id = await jobs.request(projectID, all, runner);
    await runner.takeTurn(id, projectID);
    const outcomes = await stage.report(first, projectID, ['no host a', 'no host e', 'no disk']);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['created', 'ignored', 'created']);
    await runner.run();
    expect(await read(id)).toMatchObject({ state: 'done', errors: 10 });
    expect(await countOpen(projectID)).toBe(2);
  });

  it('takes turns with others of its project, so that a small one does not wait for a large one', async () => {
    const { projectID, agents } = await build();
    const agentID = await stage.addAgent(projectID);
    await stage.report(agentID, projectID, ['one']);
    const runner = await jobs.startRunner();
    const first = await jobs.request(projectID, all, runner);
    const second = await jobs.request(projectID, { agentIDs: [agentID] }, runner);
    jobs.told.length = 0;
    await runner.run();
    const [one, two] = agents;
    expect(jobs.told).toEqual([one, one, agentID, one, two, two, two].map((id) => `${id} dismissed`));
    expect(await read(first)).toMatchObject({ state: 'done', errors: 10 });
    expect(await read(second)).toMatchObject({ state: 'done', errors: 1 });
  });

  describe('of a project', () => {
    /** Ten dismissals of a project with ten errors, and then one of another project. */
    async function crowd() {
      const crowded = await build();
      const projectID = await stage.addProject();
      const agentID = await stage.addAgent(projectID);
      await stage.report(agentID, projectID, ['one']);
      const runner = await jobs.startRunner();
      const many: string[] = [];
      for (let count = 0; count < 10; count += 1) {
        many.push(await jobs.request(crowded.projectID, all, runner));
      }
      const id = await jobs.request(projectID, all, runner);
      jobs.told.length = 0;
      return { crowded, many, runner, projectID, agentID, id };
    }

    it('does not wait for all turns of another project that came first', async () => {
      const { crowded, many, runner, projectID, id } = await crowd();
      const ended: string[] = [];
      const noteEnd = async (one: string, ofProject: string) => {
        await runner.takeTurn(one, ofProject);
        ended.push(ofProject);
      };
      const turns = many.map((one) => noteEnd(one, crowded.projectID));
      await noteEnd(id, projectID);
      // The turn under way, and the next one, which has waited longest.
      expect(ended).toEqual([crowded.projectID, crowded.projectID, projectID]);
      expect(await read(id)).toEqual({ state: 'done', errors: 1, agents: 1, reopened: 0 });
      await Promise.all(turns);
    });

    it('takes its turns in the background beside those of other projects', async () => {
      const { runner, agentID, id } = await crowd();
      await runner.run();
      // After the first turn of the other project at the latest.
      expect(jobs.told.indexOf(`${agentID} dismissed`)).toBeLessThanOrEqual(2);
      expect(jobs.told).toHaveLength(7);
      expect(await read(id)).toEqual({ state: 'done', errors: 1, agents: 1, reopened: 0 });
    });
  });

  it('is stopped by its undo, which reopens what was dismissed so far', async () => {
    const { projectID } = await build();
    const runner = await jobs.startRunner();
    const id = await jobs.request(projectID, all, runner);
    await runner.takeTurn(id, projectID);
    await startUndo(stage.first.database.write, id, operator, runner.lease());
    await runner.run();
    expect(await read(id)).toEqual({ state: 'undone', errors: 4, agents: 1, reopened: 4 });
    expect(await countOpen(projectID)).toBe(10);
  });

  it('goes on with an undo where the process before it was killed', async () => {
    const { projectID } = await build();
    const killed = await jobs.startRunner();
    const id = await jobs.request(projectID, all, killed);
    await killed.run();
    await startUndo(stage.first.database.write, id, operator, killed.lease());
    await killed.takeTurn(id, projectID);
    expect(await read(id)).toMatchObject({ state: 'undoing', reopened: 4 });
    stage.clock.advance(leaseMilliseconds);
    const next = await jobs.startRunner(stage.replica(1));
    await next.run();
    expect(await read(id)).toEqual({ state: 'undone', errors: 10, agents: 2, reopened: 10 });
  });

  it('ends with its project, and is removed with it', async () => {
    const { projectID } = await build();
    const runner = await jobs.startRunner();
    const id = await jobs.request(projectID, all, runner);
    await runner.takeTurn(id, projectID);
    const { write } = stage.first.database;
    await markProjectDeleted(write, projectID, stage.clock.now());
    await runner.run();
    expect(await read(id)).toMatchObject({ state: 'running', errors: 4 });
    expect(await deleteEnded(write, 0, 1_000)).toBe(1);
    expect(await deleteCountedAgents(write, 1_000)).toBeGreaterThan(0);
    expect(await findDismissal(write, id)).toBeUndefined();
    const left = await write
      .selectFrom('dismissal_agents')
      .where('dismissal_id', '=', id)
      .selectAll()
      .execute();
    expect(left).toEqual([]);
  });

  it('is kept for the time of its errors', async () => {
    const { projectID } = await build();
    const runner = await jobs.startRunner();
    const id = await jobs.request(projectID, all, runner);
    await runner.run();
    const { write } = stage.first.database;
    await deleteEnded(write, stage.clock.now(), 1_000);
    expect(await read(id)).toMatchObject({ state: 'done' });
    stage.clock.advance(1);
    await deleteEnded(write, stage.clock.now(), 1_000);
    expect(await findDismissal(write, id)).toBeUndefined();
  });
});
