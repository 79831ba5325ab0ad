import fc from 'fast-check';
import { afterAll, afterEach, vi } from 'vitest';
import { noteFailure } from '../server/src/testing/eventually.ts';

const isExploring = process.env.MUSTER_TEST_EXPLORE === 'true';

/**
 * A property ends at its first counterexample, because the search for a shorter one can exceed the time limit of its
 * test, which would hide both. `npm run test:explore` searches.
 */
fc.configureGlobal({
  seed: Number(process.env.MUSTER_TEST_SEED),
  ...(isExploring ? { interruptAfterTimeLimit: 120_000 } : { endOnFailure: true }),
});

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

afterEach(({ task }) => {
  if (task.result?.state === 'fail') noteFailure();
});
