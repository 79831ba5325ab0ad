import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { ensureInstalled } from './ensure-installed.mjs';
import { root } from './workspace.mjs';

/**
 * `npm run test:mutate -- [--count 200] [--seed 1] [FILE, FILE:LINE or FOLDER...]`: changes one line of the product at a time, runs the tests beside it, then, of what
 * survived, those of its feature, and prints the changes that no test notices. It takes minutes for each ten changes, and restores each file, also after Ctrl-C.
 */
await ensureInstalled();
process.chdir(root);
// So that what is to be done at the exit is done after Ctrl-C as well.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const { values, positionals } = parseArgs({
  options: { count: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
});

/** What decides: rules, stores, caches, credentials, what is sent and when. With the folders in them. */
const places = [
  'server/src/foundation/credentials',
  'server/src/people/tokens',
  'server/src/people/members',
  'server/src/people/users',
  'server/src/people/rotations',
  'server/src/errors',
  'server/src/fleet/agents/states',
  'server/src/fleet/agents/liveness',
  'server/src/fleet/fleets',
  'fleet-config/src',
  'server/src/errors/alerts',
  'server/src/core-instances',
  'server/src/foundation/http/authentication',
  'server/src/upkeep/retention',
  'server/src/foundation/scheduling',
  'server/src/record/events',
  'http/src/requests',
  'report/src',
  'core-instance/src',
  'redaction/src/secrets',
];

const maxTestsBeside = 5;

/** Tests of whole processes and of the service, which are apart from the code that they are about. */
const testsApart = new Map([
  ['report', ['test/report/']],
  ['core-instance', ['test/core-instance/']],
  ['http', ['server/src/errors/reporting/report-forms.test.ts', 'server/src/foundation/http/']],
]);

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

/** Whether sets of tests pass as they are. @type {Map<string, boolean>} */
const unchanged = new Map();
const types = serviceOfTypes();
const mutants = shuffle(findMutants(), Number(values.seed));
const counts = { refused: 0, noticed: 0 };
/** @type {Mutant[]} */
const suspects = [];
for (const mutant of mutants) {
  if (counts.noticed + suspects.length >= Number(values.count)) break;
  if (!isOfRightTypes(mutant)) {
    counts.refused += 1;
    continue;
  }
  const isNoticed = await doTestsNotice(mutant, testsBeside(mutant.file), [engineOf(mutant.file)]);
  if (isNoticed) counts.noticed += 1;
  else suspects.push(mutant);
  console.log(
    `${counts.noticed + suspects.length} ${isNoticed ? 'noticed' : 'survived'} ${describe(mutant)}`,
  );
}
console.log(`\n${counts.noticed} changes were noticed beside the file, and types refused ${counts.refused}.`);
console.log(`Those that survived (${suspects.length}), with the tests of the feature:`);
for (const mutant of suspects) {
  // What several replicas have in common is tried on PostgreSQL alone.
  const engines = new Set([engineOf(mutant.file), 'postgres']);
  const isNoticed = await doTestsNotice(mutant, testsOfFeature(mutant.file), engines);
  console.log(`${isNoticed ? 'noticed' : 'SURVIVED'} ${describe(mutant)}`);
}

/** @typedef {{ file: string, line: number, before: string, after: string }} Mutant */

function findMutants() {
  return (positionals.length > 0 ? positionals : places).flatMap((place) => {
    const [path = '', line] = place.split(':');
    const found = (path.endsWith('.ts') ? [path] : filesIn(path)).flatMap(mutantsOf);
    return line === undefined ? found : found.filter((mutant) => mutant.line + 1 === Number(line));
  });
}

/** @param {string} folder */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !/(?:^|\/)testing\//.test(name))
    .map((name) => join(folder, name));
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
function mutated({ file, line, after }) {
  return readFileSync(file, 'utf8').split('\n').with(line, after).join('\n');
}

/** @param {string} file */
function engineOf(file) {
  return file.includes('postgres') ? 'postgres' : 'sqlite';
}

/**
 * @param {Mutant} mutant
 * @param {readonly string[][]} sets the tests that are run in turn
 * @param {Iterable<string>} engines
 */
async function doTestsNotice(mutant, sets, engines) {
  const source = readFileSync(mutant.file, 'utf8');
  const restore = () => writeFileSync(mutant.file, source);
  process.once('exit', restore);
  try {
    writeFileSync(mutant.file, mutated(mutant));
    for (const engine of engines) {
      for (const tests of sets) {
        if (await doPass(engine, tests)) continue;
        restore();
        if (await doPassUnchanged(engine, tests)) return true;
        writeFileSync(mutant.file, mutated(mutant));
      }
    }
    return false;
  } finally {
    restore();
    process.off('exit', restore);
  }
}

/**
 * Tests that fail anyway notice nothing.
 *
 * @param {string} engine
 * @param {readonly string[]} tests
 */
async function doPassUnchanged(engine, tests) {
  const key = [engine, ...tests].join(' ');
  const known = unchanged.get(key) ?? (await doPass(engine, tests));
  if (!known && !unchanged.has(key))
    console.log(`These tests fail without a change, and count for nothing: ${key}`);
  unchanged.set(key, known);
  return known;
}

/**
 * The few that are nearest: its own tests, those that import it, and those in its folder. Or, if there are none, those of its feature.
 *
 * @param {string} file
 */
function testsBeside(file) {
  const all = testsIn(featureOf(file));
  const importing = all.filter((test) => readFileSync(test, 'utf8').includes(`/${basename(file)}'`));
  const near = all.filter((test) => dirname(test) === dirname(file));
  const isOwn = (/** @type {string} */ test) => test === file.replace(/\.ts$/, '.test.ts');
  const tests = new Set([...importing.filter(isOwn), ...importing, ...near]);
  return tests.size === 0 ? testsOfFeature(file) : [[...tests].slice(0, maxTestsBeside)];
}

/** @param {string} file */
function testsOfFeature(file) {
  const apart = testsApart.get(file.split('/')[0] ?? '');
  return [[`${featureOf(file)}/`], ...(apart === undefined ? [] : [apart])];
}

/** @param {string} file such as server/src/people/tokens/rotation/rotate-token.ts, of server/src/people/tokens */
function featureOf(file) {
  return file
    .split('/')
    .slice(0, file.startsWith('server/') ? 3 : 2)
    .join('/');
}

/** @param {string} folder */
function testsIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name));
}

/**
 * A change that lets a test wait for ever is noticed too.
 *
 * @param {string} engine
 * @param {readonly string[]} tests
 */
function doPass(engine, tests) {
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  // One process, because each one loads the service again.
  const options = [
    '--bail=1',
    '--maxWorkers=1',
    '--passWithNoTests',
    '--testTimeout=60000',
    '--hookTimeout=60000',
  ];
  const child = spawn(process.execPath, [vitest, 'run', '--project', engine, ...options, ...tests], {
    stdio: 'ignore',
    // A group of its own, so that no process of it stays.
    detached: true,
  });
  return new Promise((settle) => {
    const end = () => process.kill(-Number(child.pid), 'SIGKILL');
    const timer = setTimeout(end, 600_000);
    process.once('exit', end);
    child.once('exit', (code) => {
      clearTimeout(timer);
      process.off('exit', end);
      settle(code === 0);
    });
  });
}

/** Compiles one file at a time: what types refuse needs no test. */
function serviceOfTypes() {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile('tsconfig.json', ts.sys.readFile).config,
    ts.sys,
    root,
  );
  /** @type {Map<string, { text: string, version: number }>} */
  const changed = new Map();
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...changed.keys()],
    getScriptVersion: (name) => String(changed.get(name)?.version ?? 0),
    getScriptSnapshot: (name) => {
      const text = changed.get(name)?.text ?? ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
  });
  return { changed, service };
}

/** @param {Mutant} mutant */
function isOfRightTypes(mutant) {
  const name = resolve(mutant.file);
  const { changed, service } = types;
  const version = (changed.get(name)?.version ?? 0) + 1;
  const original = readFileSync(name, 'utf8');
  changed.set(name, { text: mutated(mutant), version });
  const errors = [...service.getSyntacticDiagnostics(name), ...service.getSemanticDiagnostics(name)];
  changed.set(name, { text: original, version: version + 1 });
  return errors.length === 0;
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
