import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled } from './ensure-installed.mjs';
import { root } from './workspace.mjs';

/**
 * `npm run test:mutate -- [--count 200] [--seed 1] [FILE...]`: changes one line of the product at a time, runs the tests beside it, and prints the
 * changes that no test notices. It takes minutes for each ten changes, and restores each file, also after Ctrl-C.
 */
await ensureInstalled();
process.chdir(root);
const { values, positionals } = parseArgs({
  options: { count: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
});

/** What decides: rules, stores, caches, credentials, what is sent and when. */
const folders = [
  'server/src/credentials',
  'server/src/tokens',
  'server/src/members',
  'server/src/users',
  'server/src/users/sessions',
  'server/src/rotations',
  'server/src/agent-errors',
  'server/src/agent-errors/groups',
  'server/src/agent-errors/intake',
  'server/src/agent-errors/limits',
  'server/src/agent-errors/open-errors',
  'server/src/agent-errors/dismissals',
  'server/src/agents/states',
  'server/src/agents/liveness',
  'server/src/alerts/rules',
  'server/src/alerts/outbox',
  'server/src/http/authentication',
  'http/src/requests',
  'server/src/retention',
  'server/src/turns',
  'server/src/events',
  'report/src/sending',
  'report/src/state',
  'redaction/src/secrets',
];

/** @type {readonly (readonly [RegExp, string])[]} */
const changes = [
  [/ <= /, ' < '],
  [/ >= /, ' > '],
  [/ < (?=[\w(])/, ' <= '],
  [/ > (?=[\w(])/, ' >= '],
  [/ === /, ' !== '],
  [/ !== /, ' === '],
  [/ && /, ' || '],
  [/ \|\| /, ' && '],
  [/ \?\? [^,;)]+/, ''],
  [/\bif \(!/, 'if ('],
  [/\bif \((?!!)/, 'if (false && '],
  [/\breturn true;/, 'return false;'],
  [/\breturn false;/, 'return true;'],
  [/Math\.min\(/, 'Math.max('],
  [/Math\.max\(/, 'Math.min('],
  [/ \+ 1\b/, ''],
  [/ - 1\b/, ''],
  [/^(\s+)\.where\(.*\)$/, '$1'],
  [/^(\s+)(?:await )?[\w.#]*(?:forget|require|refuse|assert|check)\w*\(.*\);$/, '$1'],
  [/\b(\d{1,3}(?:_\d{3})+)\b/, '7 * $1'],
  [/'desc'/, "'asc'"],
];

const mutants = shuffle(findFiles().flatMap(mutantsOf), Number(values.seed)).slice(0, Number(values.count));
/** @type {string[]} */
const survivors = [];
for (const [index, mutant] of mutants.entries()) {
  const isKilled = isNoticed(mutant);
  if (!isKilled) survivors.push(describe(mutant));
  console.log(`${index + 1}/${mutants.length} ${isKilled ? 'noticed ' : 'SURVIVED'} ${describe(mutant)}`);
}
console.log(`\n${mutants.length - survivors.length} of ${mutants.length} changes were noticed.`);
for (const survivor of survivors) console.log(survivor);

/** @typedef {{ file: string, line: number, before: string, after: string }} Mutant */

function findFiles() {
  if (positionals.length > 0) return positionals;
  return folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name}`),
  );
}

/**
 * @param {string} file
 * @returns {Mutant[]}
 */
function mutantsOf(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((before, line) => {
      if (/^\s*(?:\/?\*|\/\/|import |export type|export interface|readonly )/.test(before)) return [];
      return changes
        .map(([pattern, text]) => ({ file, line, before, after: before.replace(pattern, text) }))
        .filter(({ after }) => after !== before);
    });
}

/** @param {Mutant} mutant */
function isNoticed({ file, line, after }) {
  const source = readFileSync(file, 'utf8');
  const restore = () => writeFileSync(file, source);
  process.once('exit', restore);
  try {
    const lines = source.split('\n');
    lines[line] = after;
    writeFileSync(file, lines.join('\n'));
    return testsOf(file).some((tests) => !doPass(tests));
  } finally {
    restore();
    process.off('exit', restore);
  }
}

/**
 * The tests beside a file, and then those of the folders above, up to its feature, or to all of a small package.
 *
 * @param {string} file
 * @returns {string[][]}
 */
function testsOf(file) {
  const sets = [];
  const depth = file.startsWith('server/') ? 3 : 2;
  const own = file.replace(/\.ts$/, '.test.ts');
  if (existsSync(own)) sets.push([own]);
  for (let folder = dirname(file); folder.split('/').length >= depth; folder = dirname(folder))
    sets.push([`${folder}/`]);
  return sets;
}

/** @param {readonly string[]} tests */
function doPass(tests) {
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const { status, signal } = spawnSync(
    process.execPath,
    [vitest, 'run', '--bail', '1', '--passWithNoTests', ...tests],
    { stdio: 'ignore', timeout: 1_800_000 },
  );
  if (signal === 'SIGINT') process.exit(130);
  return status === 0;
}

/** @param {Mutant} mutant */
function describe({ file, line, before, after }) {
  return `${file}:${line + 1}\n    - ${before.trim()}\n    + ${after.trim() || '(nothing)'}`;
}

/**
 * In an order that depends on the seed alone (xorshift32).
 *
 * @template Item
 * @param {Item[]} items
 * @param {number} seed
 */
function shuffle(items, seed) {
  let state = seed || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  for (let index = items.length - 1; index > 0; index -= 1) {
    const other = Math.floor(next() * (index + 1));
    [items[index], items[other]] = [/** @type {Item} */ (items[other]), /** @type {Item} */ (items[index])];
  }
  return items;
}
