import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countingPartitionOf } from '../../../foundation/database/counting-partition.ts';
import { withResolvers } from '../../../foundation/with-resolvers.ts';
import { eventually } from '../../../testing/eventually.ts';
import { openPostgresSession } from '../../../testing/postgres/postgres-session.ts';
import { ErrorGroupStage } from '../../../testing/stages/error-group-stage.ts';
import { testEngine } from '../../../testing/test-database.ts';
import { lockPartitions } from './count-store-postgres.ts';
import { createCountingEngine } from './create-counting-engine.ts';
import { ErrorGroupCounter } from './error-group-counter.ts';

let stage: ErrorGroupStage;
let counter: ErrorGroupCounter;
let closing: AbortController;
const failures: unknown[] = [];
/** Each portion asks for the time once. */
let timesAsked = 0;

beforeEach(async () => {
  stage = await ErrorGroupStage.open();
  closing = new AbortController();
  failures.length = 0;
  timesAsked = 0;
  counter = new ErrorGroupCounter(options());
});

afterEach(async () => {
  closing.abort();
  await counter.close();
  await stage.close();
});

function options() {
  return {
    database: stage.first.database,
    engine: createCountingEngine(stage.first.database),
    clock: () => {
      timesAsked += 1;
      return stage.clock.now();
    },
    monotonic: () => performance.now(),
    closing: closing.signal,
    onFailure: (error: unknown) => failures.push(error),
  };
}

/** Holds back all counting of a project. Resolves to a function that ends this. */
async function holdBack(projectID: string): Promise<() => Promise<void>> {
  const { database } = stage.first;
  const [held, released] = [withResolvers<void>(), withResolvers<void>()];
  const holding = database.write.transaction().execute(async (trx) => {
    // On SQLite, there is one transaction at a time.
    if (database.engine === 'postgres') await lockPartitions(trx, [countingPartitionOf(projectID)], 'wait');
    held.resolve();
    await released.promise;
  });
  await held.promise;
  return async () => {
    released.resolve();
    await holding;
  };
}

describe('a read of counts', () => {
  it('does not wait for a portion that takes long, and the next read finds it counted', async () => {
    const projectID = await stage.addProject();
    const agentID = await stage.addAgent(projectID);
    await stage.report(agentID, projectID, ['cannot reach host 10.0.0.1']);
    const release = await holdBack(projectID);
    const read = () => counter.catchUp(projectID);
    const reads = await Promise.all([read(), read(), read()]);
    expect(reads).toEqual([{ countedAt: 0 }, { countedAt: 0 }, { countedAt: 0 }]);
    expect(await read()).toEqual({ countedAt: 0 });
    await release();
    await counter.drain();
    const { stored, counted } = await stage.countAll();
    expect(counted).toEqual(stored);
    expect(failures).toEqual([]);
  });

  it.runIf(testEngine === 'sqlite')('starts no portion beside the one that others wait for', async () => {
    const projectID = await stage.addProject();
    const release = await holdBack(projectID);
    for (let read = 0; read < 5; read += 1) await counter.catchUp(projectID);
    expect(timesAsked).toBe(1);
    await release();
  });

  it.runIf(testEngine === 'postgres')('takes no connection while another replica is counting', async () => {
    const projectID = await stage.addProject();
    const release = await holdBack(projectID);
    const patient = new ErrorGroupCounter({
      ...options(),
      maxReadWaitMilliseconds: Number.POSITIVE_INFINITY,
    });
    const session = await openPostgresSession(stage.directory);
    await stage.report(await stage.addAgent(projectID), projectID, ['no space']);
    const read = patient.catchUp(projectID);
    for (let attempts = timesAsked; timesAsked < attempts + 3; ) {
      expect(
        await session.query(
          `select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        ),
      ).toEqual([]);
    }
    await release();
    expect(await read).toEqual({ countedAt: stage.clock.now() });
    await session.end();
    await patient.close();
  });

  it('waits for a portion outside of storms, so that whoever reads at once finds what was changed', async () => {
    const patient = new ErrorGroupCounter({
      ...options(),
      maxReadWaitMilliseconds: Number.POSITIVE_INFINITY,
    });
    const projectID = await stage.addProject();
    const agentID = await stage.addAgent(projectID);
    await stage.report(agentID, projectID, ['cannot reach host 10.0.0.1']);
    const release = await holdBack(projectID);
    const reads = [patient.catchUp(projectID), patient.catchUp(projectID), patient.catchUp(projectID)];
    await counter.catchUp(projectID);
    await release();
    expect(await Promise.all(reads)).toEqual(Array(3).fill({ countedAt: stage.clock.now() }));
    await patient.close();
  });

  // On SQLite, one thread writes everything.
  it.runIf(testEngine === 'postgres')('waits for no other project', async () => {
    const [slow, other] = [await stage.addProject(), await stage.addProject()];
    expect(countingPartitionOf(slow)).not.toBe(countingPartitionOf(other));
    await stage.report(await stage.addAgent(slow), slow, ['cannot reach host 10.0.0.1']);
    await stage.report(await stage.addAgent(other), other, ['no space']);
    const release = await holdBack(slow);
    const patient = new ErrorGroupCounter({
      ...options(),
      maxReadWaitMilliseconds: Number.POSITIVE_INFINITY,
    });
    expect(await patient.catchUp(other)).toEqual({ countedAt: stage.clock.now() });
    const groups = await stage.first.database.read
      .selectFrom('agent_error_groups')
      .select(['project_id', 'open_agents'])
      .execute();
    expect(groups).toEqual([{ project_id: other, open_agents: 1 }]);
    await release();
    await patient.close();
  });

  it.runIf(testEngine === 'postgres')(
    'of all projects waits for each of them, also if one is in a storm',
    async () => {
      const [stormy, other] = [await stage.addProject(), await stage.addProject()];
      await stage.report(await stage.addAgent(stormy), stormy, ['cannot reach host 10.0.0.1']);
      await stage.report(await stage.addAgent(other), other, ['no space']);
      const releases = [await holdBack(stormy), await holdBack(other)];
      let monotonic = 0;
      const patient = new ErrorGroupCounter({
        ...options(),
        monotonic: () => monotonic,
        maxReadWaitMilliseconds: 100_000,
      });
      const inVain = patient.catchUp(stormy);
      monotonic = 100_000;
      await inVain;
      const read = patient.catchUp();
      const asked = timesAsked;
      await eventually(async () => expect(timesAsked).toBeGreaterThan(asked + 20));
      await releases[1]?.();
      await read;
      const { write } = stage.first.database;
      expect(await write.selectFrom('agent_error_groups').select('project_id').execute()).toContainEqual({
        project_id: other,
      });
      await releases[0]?.();
      await patient.close();
    },
  );

  it('is as old as the clock says that was set back, and not of the time before', async () => {
    const projectID = await stage.addProject();
    const agentID = await stage.addAgent(projectID);
    let now = stage.clock.now() + 60_000;
    const ahead = new ErrorGroupCounter({ ...options(), clock: () => now });
    await stage.report(agentID, projectID, ['no space']);
    expect(await ahead.catchUp(projectID)).toEqual({ countedAt: now });
    now = stage.clock.now();
    await stage.report(agentID, projectID, ['no memory']);
    expect(await ahead.catchUp(projectID)).toEqual({ countedAt: now });
    await ahead.close();
  });
});

describe('a change that depends on the counts', () => {
  it('waits for everything before it, also in a storm, and is refused if that takes too long', async () => {
    const projectID = await stage.addProject();
    await stage.report(await stage.addAgent(projectID), projectID, ['cannot reach host 10.0.0.1']);
    const release = await holdBack(projectID);
    let ticks = 0;
    const hurried = new ErrorGroupCounter({
      ...options(),
      // Each look at the time takes two seconds.
      monotonic: () => 2_000 * ticks++,
      maxReadWaitMilliseconds: 1,
    });
    await expect(hurried.catchUpWholly(projectID)).rejects.toThrow(
      expect.objectContaining({ code: 'overloaded' }),
    );
    const wholly = counter.catchUpWholly(projectID);
    // A read does not wait that long, and makes the counter expect a storm.
    expect(await counter.catchUp(projectID)).toEqual({ countedAt: 0 });
    await release();
    await wholly;
    await hurried.close();
    const { stored, counted } = await stage.countAll();
    expect(counted).toEqual(stored);
  });
});

describe('the age of the counts', () => {
  it('is the time since the start while nothing can be counted, and 0 when all is counted', async () => {
    const projectID = await stage.addProject();
    const texts = ['cannot reach host 10.0.0.1', 'no space', 'no memory'];
    await stage.report(await stage.addAgent(projectID), projectID, texts);
    const release = await holdBack(projectID);
    const turning = new ErrorGroupCounter({ ...options(), intervalMilliseconds: 1 });
    expect(turning.lagMilliseconds).toBe(0);
    turning.start();
    stage.clock.advance(30_000);
    expect(turning.lagMilliseconds).toBe(30_000);
    // The errors, and the agent.
    expect(await turning.readUncounted()).toBe(4);
    await release();
    await counter.drain();
    await eventually(async () => expect(turning.lagMilliseconds).toBe(0));
    closing.abort();
    await turning.close();
  });
});
