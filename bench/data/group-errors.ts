import { createCountingEngine } from '../../server/src/errors/groups/counting/create-counting-engine.ts';
import { ErrorGroupCounter } from '../../server/src/errors/groups/counting/error-group-counter.ts';
import { systemClock, systemMonotonicClock } from '../../server/src/foundation/clock.ts';
import type { Database } from '../../server/src/foundation/database/database.ts';

/** Changes of groups that are counted together: nobody waits for them here. */
const changesPerTransaction = 50_000;

/**
 * Puts the errors of a data set into their groups. The service would do it after its start, and what is measured
 * meanwhile would compete with it.
 */
export async function groupErrors(database: Database): Promise<void> {
  const started = performance.now();
  const counter = new ErrorGroupCounter({
    database,
    engine: createCountingEngine(database),
    clock: systemClock,
    monotonic: systemMonotonicClock,
    closing: new AbortController().signal,
    onFailure: (error) => console.error(error),
    maxChanges: changesPerTransaction,
    intervalMilliseconds: 0,
  });
  await counter.groupAll();
  await counter.drain();
  console.log(`  groups of errors, in ${((performance.now() - started) / 1_000).toFixed(1)} s`);
}
