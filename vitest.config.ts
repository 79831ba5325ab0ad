import { defineConfig } from 'vitest/config';
import { maxWaitMilliseconds } from './server/src/testing/max-wait.ts';
import { buildWorkerOnDemand } from './test/build-worker-on-demand.ts';
import keptSeeds from './test/kept-seeds.json' with { type: 'json' };
import { PlannedFiles } from './test/planned-files.ts';
import { onBothEngines, onPostgresOnly } from './test/tests-by-engine.ts';

/** What is random is the same on any day; `npm run test:explore` looks for what other seeds find. */
const fixedSeed = '1';
const seed = process.env.MUSTER_TEST_SEED ?? fixedSeed;

/** A sequencer of our own would hide the one that shuffles. */
const isShuffled = process.argv.includes('--sequence.shuffle.files');

const plugins = [buildWorkerOnDemand()];

/** The usual budget lets V8 of Node 20 compile a function again as soon as a test has used it for a while. Later versions have no such flag, and compile later. */
const laterOptimization = process.versions.node.startsWith('20.') ? ['--interrupt-budget=500000'] : [];

/**
 * Of the processes of tests: with the usual 16 MiB, collecting garbage took an eighth of their time, and compiling what soon ends another twelfth.
 * A service that a test starts has flags of its own.
 */
const execArgv = ['--max-semi-space-size=32', ...laterOptimization];

const shared = {
  environment: 'node',
  setupFiles: './test/setup-file.ts',
  // Whole processes, since tests start database threads and native modules.
  pool: 'forks',
  execArgv,
  // Files share a process and the modules in it, half of whose time went into loading the service again for each.
  // So a file leaves nothing changed behind: setup-file.ts undoes what is easily forgotten.
  isolate: false,
  // No test comes near them, on any machine: a test that reaches one waits for something that never happens.
  testTimeout: 900_000,
  hookTimeout: 900_000,
  // The usual second is too short for a page on a busy machine.
  expect: { poll: { timeout: maxWaitMilliseconds } },
} as const;

/** Replays what exploring has found, each with the seed that found it. Only `npm test` does: a project costs a tenth of a second, also if no file of it runs. */
const replays =
  process.env.MUSTER_TEST_REPLAY === 'true'
    ? keptSeeds.map((kept) => ({
        plugins,
        test: {
          ...shared,
          name: `${kept.engine}, seed ${kept.seed}`,
          env: {
            MUSTER_TEST_ENGINE: kept.engine,
            MUSTER_TEST_SEED: String(kept.seed),
            MUSTER_TEST_REPLAYS_SEED: 'true',
          },
          include: [kept.file],
        },
      }))
    : [];

export default defineConfig({
  plugins,
  test: {
    // By what files say, so that a run compiles only what has changed since the last one, and both engines share it.
    experimental: { fsModuleCache: true },
    // One more than small machines have processors, because tests often wait for another process.
    maxWorkers: 3,
    sequence: isShuffled ? {} : { sequencer: PlannedFiles },
    globalSetup: './test/global-setup.ts',
    projects: [
      {
        plugins,
        test: {
          ...shared,
          name: 'sqlite',
          env: { MUSTER_TEST_ENGINE: 'sqlite', MUSTER_TEST_SEED: seed },
          include: [
            '{contract,redaction,faults,fleet-config,http,server,client,report,core-instance,cli,web}/src/**/*.test.ts',
            '{scripts,test}/**/*.test.ts',
          ],
          exclude: onPostgresOnly,
        },
      },
      {
        plugins,
        test: {
          ...shared,
          name: 'postgres',
          env: { MUSTER_TEST_ENGINE: 'postgres', MUSTER_TEST_SEED: seed },
          include: [...onBothEngines, ...onPostgresOnly],
        },
      },
      ...replays,
    ],
  },
});
