import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled } from './ensure-installed.mjs';
import { readManifest, root } from './workspace.mjs';

/**
 * `npm run test:explore -- [--minutes 10] [--rounds N] [--seed N] [FILE...]`: runs the tests with random input with
 * a new seed in each round, and stops at the first round that fails. `npm test` runs them with fixed seeds.
 */
await ensureInstalled();
process.chdir(root);
const { build } = await import('./build.mjs');
const { startVitest } = await import('vitest/node');

const options = readOptions();
await build();
const endsAt = performance.now() + options.minutes * 60_000;
const files = options.files.length > 0 ? options.files : findRandomTests();
for (let round = 1; round <= options.rounds && performance.now() < endsAt; round += 1) {
  const seed = options.seed ?? randomInt(2 ** 31);
  console.log(`Round ${round}, seed ${seed}: ${files.length} files`);
  const failed = await runRound(seed);
  if (failed.length > 0) {
    tellHowToKeep(seed, failed);
    process.exit(1);
  }
}
console.log('No counterexample found.');
process.exit(0);

/**
 * @typedef {{ file: string, engine: string }} FailedModule
 * @param {number} seed
 * @returns {Promise<FailedModule[]>}
 */
async function runRound(seed) {
  Object.assign(process.env, { MUSTER_TEST_SEED: String(seed), MUSTER_TEST_EXPLORE: 'true' });
  const vitest = await startVitest('test', files, {
    watch: false,
    project: ['sqlite', 'postgres'],
    reporters: ['default'],
  });
  const failed = vitest.state
    .getTestModules()
    .filter((module) => !module.ok())
    .map(({ moduleId, project }) => ({ file: relative(root, moduleId), engine: project.name }));
  const [fault] = vitest.state.getUnhandledErrors();
  await vitest.close();
  if (failed.length === 0 && fault !== undefined) throw fault;
  return failed;
}

/**
 * @param {number} seed
 * @param {readonly FailedModule[]} failed
 */
function tellHowToKeep(seed, failed) {
  console.error(
    `\nSeed ${seed} made the tests above fail. To repeat it and look for a shorter counterexample, run:\n`,
  );
  for (const { file } of failed) console.error(`  npm run test:explore -- --seed ${seed} ${file}`);
  console.error('\nAfter the fix, add it to test/kept-seeds.json, so that `npm test` replays it:\n');
  for (const { file, engine } of failed) {
    console.error(`  ${JSON.stringify({ seed, engine, file, found: 'WHAT WAS WRONG' })}`);
  }
}

/** Every test file whose input comes from a seed, or which does more here than in `npm test`. */
function findRandomTests() {
  const { workspaces = [] } = readManifest(root);
  return [...workspaces, 'scripts', 'test']
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    )
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .filter((path) => /from 'fast-check'|MUSTER_TEST_SEED|\/rounds\.ts'/.test(readFileSync(path, 'utf8')));
}

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { minutes: { type: 'string' }, rounds: { type: 'string' }, seed: { type: 'string' } },
  });
  const minutes = Number(values.minutes ?? 10);
  const seed = values.seed === undefined ? undefined : Number(values.seed);
  const rounds = Number(values.rounds ?? (seed === undefined ? Infinity : 1));
  if (!(minutes > 0) || !(rounds > 0) || (seed !== undefined && !Number.isInteger(seed))) {
    console.error('--minutes and --rounds take a number above 0, --seed a whole number.');
    process.exit(2);
  }
  return { minutes, rounds, seed, files: positionals };
}
