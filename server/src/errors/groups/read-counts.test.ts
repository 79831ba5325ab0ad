import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withResolvers } from '../../foundation/with-resolvers.ts';
import { ErrorGroupStage } from '../../testing/stages/error-group-stage.ts';
import { ErrorGroupCounter } from './error-group-counter.ts';
import { foldLockName } from './fold-store-postgres.ts';

let stage: ErrorGroupStage;
let counter: ErrorGroupCounter;
let closing: AbortController;
const failures: unknown[] = [];
/** Counting for reads asks for the time once, and so does each of its portions. */
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
    clock: () => {
      timesAsked += 1;
      return stage.clock.now();
    },
    monotonic: () => performance.now(),
    closing: closing.signal,
    onFailure: (error: unknown) => failures.push(error),
  };
}

/** Holds back all counting. Resolves to a function that ends this. */
async function holdBack(): Promise<() => Promise<void>> {
  const { database } = stage.first;
  const [held, released] = [withResolvers<void>(), withResolvers<void>()];
  const holding = database.write.transaction().execute(async (trx) => {
    await database.takeLock(trx, foldLockName);
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
    const release = await holdBack();
    const reads = await Promise.all([counter.catchUp(), counter.catchUp(), counter.catchUp()]);
    expect(reads).toEqual([{ countedAt: 0 }, { countedAt: 0 }, { countedAt: 0 }]);
    expect(await counter.catchUp()).toEqual({ countedAt: 0 });
    await release();
    await counter.drain();
    const { stored, counted } = await stage.countAll();
    expect(counted).toEqual(stored);
    expect(failures).toEqual([]);
  });

  it('starts no portion beside the one that others wait for', async () => {
    const release = await holdBack();
    for (let read = 0; read < 5; read += 1) await counter.catchUp();
    expect(timesAsked).toBe(2);
    await release();
  });

  it('waits for a portion outside of storms, so that whoever reads at once finds what was changed', async () => {
    const patient = new ErrorGroupCounter({
      ...options(),
      maxReadWaitMilliseconds: Number.POSITIVE_INFINITY,
    });
    const projectID = await stage.addProject();
    const agentID = await stage.addAgent(projectID);
    await stage.report(agentID, projectID, ['cannot reach host 10.0.0.1']);
    const release = await holdBack();
    const reads = [patient.catchUp(), patient.catchUp(), patient.catchUp()];
    await counter.catchUp();
    await release();
    expect(await Promise.all(reads)).toEqual(Array(3).fill({ countedAt: stage.clock.now() }));
    await patient.close();
  });
});
