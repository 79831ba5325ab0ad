import fc from 'fast-check';
import { afterAll, afterEach, expect, vi } from 'vitest';
import { noteFailure } from '../server/src/testing/eventually.ts';
import { readProcessorSeconds } from './processor-time.ts';

const isExploring = process.env.MUSTER_TEST_EXPLORE === 'true';

/**
 * A property ends at its first counterexample, because the search for a shorter one can exceed the time limit of its
 * test, which would hide both. `npm run test:explore` searches.
 */
fc.configureGlobal({
  seed: Number(process.env.MUSTER_TEST_SEED),
  ...(isExploring ? { interruptAfterTimeLimit: 120_000 } : { endOnFailure: true }),
});

declare module 'vitest' {
  interface TaskMeta {
    /** What a file took of processors, with all processes that it started and that have ended. */
    processorSeconds?: number;
  }
}

const before = readProcessorSeconds();
/** What happens in a browser depends on more than the code. Nothing else is tried twice. */
const isInBrowser = expect.getState().testPath?.includes('/test/browser/') === true;
// Its type leaves this one out, although it is read when a test is defined.
const retries: object = { retry: isInBrowser ? 1 : 0 };
vi.setConfig(retries);

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the text of a hook which fixtures it asks for.
afterAll(({}, file) => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  file.meta.processorSeconds = readProcessorSeconds() - before;
});

afterEach(({ task }) => {
  if (task.result?.state === 'fail') noteFailure();
});
