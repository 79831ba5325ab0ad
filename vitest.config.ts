import { defineConfig } from 'vitest/config';
import { maxWaitMilliseconds } from './server/src/testing/max-wait.ts';
import { buildWorkerOnDemand } from './test/build-worker-on-demand.ts';
import keptSeeds from './test/kept-seeds.json' with { type: 'json' };
import { PlannedFiles } from './test/planned-files.ts';

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

/** What runs once: it does not touch a database, or one engine alone, or what it tests is above the database. */
const onSqliteOnly = [
  'server/src/*.test.ts',
  'server/src/http/credential-table/{answer-headers,credential-table-limit}*',
  // What is sent to whom, and which address a request has: what is stored for it is tried on both engines by alert-channels.test.ts and invalid-credentials.test.ts.
  'server/src/alerts/channels/channel-kinds*',
  'server/src/http/authentication/invalid-credentials-address*',
  'server/src/database/postgres/**',
];

/** What needs PostgreSQL: several processes or sessions on one database, its plans, or both engines side by side. */
const onPostgresOnly = [
  'test/{replicas,differential}/**/*.test.ts',
  'server/src/agent-errors/{intake/report-plan,intake/insert-new-postgres,search-turns}.test.ts',
  'server/src/retention/retention-race.test.ts',
  'server/src/agents/replaced-token.test.ts',
  'server/src/events/event-replicas.test.ts',
  'test/backup/refusals-postgres.test.ts',
  'test/browser/dashboard/journeys-postgres.test.ts',
  'server/src/alerts/outbox/outbox-replicas.test.ts',
  'server/src/agent-errors/dismissals/dismissal-plan.test.ts',
  'server/src/database/{plans-of-sessions,silent-server,errors-by-project,logged-failures,session-time-limits}.test.ts',
];

/**
 * Tests outside of the server that run on each engine. The others run on SQLite alone, unless they are listed above. Among them, because no line of
 * code that they test knows the engine:
 * - test/tls: a certificate is read from files and used by Node's server before there is a request. A new one changes that server alone, and no connection to PostgreSQL: these have
 *   settings of their own.
 * - test/telemetry: spans and metrics are of requests, and none of statements, connections or the pool.
 * - test/backup/doctor-network: servers on loopback, certificates and settings are examined, and no statement of theirs is SQL.
 * - test/observability: it reads every line that can be logged, also those of PostgreSQL, from the source. What such a line has of an error of the driver is in
 *   server/src/database/logged-failures, on PostgreSQL.
 */
const onBothEngines = [
  'test/replay/other-agents.test.ts',
  'cli/src/commands/audit/audit.test.ts',
  'test/backup/{backup-restore,doctor,reset-token}.test.ts',
];

/** Replays what exploring has found, each with the seed that found it. Only `npm test` does: a project costs a tenth of a second, also if no file of it runs. */
const replays =
  process.env.MUSTER_TEST_REPLAY === 'true'
    ? keptSeeds.map((kept) => ({
        plugins,
        test: {
          ...shared,
          name: `${kept.engine}, seed ${kept.seed}`,
          env: { MUSTER_TEST_ENGINE: kept.engine, MUSTER_TEST_SEED: String(kept.seed) },
          include: [kept.file],
        },
      }))
    : [];

export default defineConfig({
  plugins,
  test: {
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
            '{contract,redaction,faults,server,client,report,cli,web}/src/**/*.test.ts',
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
          include: ['server/src/**/*.test.ts', ...onBothEngines, ...onPostgresOnly],
          exclude: onSqliteOnly,
        },
      },
      ...replays,
    ],
  },
});
