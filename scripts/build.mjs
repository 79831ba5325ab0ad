import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { buildDashboard } from './build-dashboard.mjs';
import { root } from './workspace.mjs';

/**
 * @typedef {object} Bundle
 * @property {string} title
 * @property {string} outDirectory
 * @property {Record<string, string>} entries source files by the name of the built file
 * @property {string[]} sources folders whose changes make the bundle stale
 */

const sqliteWorker = 'server/src/app/sqlite-worker.ts';
const configWorker = 'server/src/fleet/fleets/config-worker.ts';

/** The dashboard, which another bundler builds. */
const dashboard = {
  outDirectory: 'web/dist',
  sources: ['contract/src', 'client/src', 'web/src'],
  inputs: [
    'web/index.html',
    'web/package.json',
    'web/vite.config.ts',
    'web/component-styles.ts',
    'scripts/build-dashboard.mjs',
  ],
};

/** @satisfies {Record<string, Bundle>} */
const bundles = {
  // Also built separately, and the next one too, because a service that runs from source needs this file built: threads cannot load TypeScript.
  worker: {
    title: 'the thread of the database',
    outDirectory: 'server/dist',
    entries: { 'sqlite-worker': sqliteWorker },
    sources: ['server/src'],
  },
  configWorker: {
    title: 'the thread that checks configurations',
    outDirectory: 'server/dist',
    entries: { 'config-worker': configWorker },
    sources: ['contract/src', 'redaction/src', 'fleet-config/src', 'server/src'],
  },
  server: {
    title: 'the service',
    outDirectory: 'server/dist',
    entries: { main: 'server/src/app/main.ts' },
    sources: ['contract/src', 'redaction/src', 'faults/src', 'fleet-config/src', 'http/src', 'server/src'],
  },
  // The server becomes a chunk of the command, loaded only by `serve`; its workers must be beside it.
  cli: {
    title: 'the command',
    outDirectory: 'cli/dist',
    entries: {
      muster: 'cli/src/muster.ts',
      'sqlite-worker': sqliteWorker,
      'config-worker': configWorker,
    },
    sources: [
      'contract/src',
      'redaction/src',
      'faults/src',
      'fleet-config/src',
      'http/src',
      'server/src',
      'client/src',
      'report/src',
      'core-instance/src',
      'cli/src',
      'demo/src',
    ],
  },
};

/** Files outside the sources that affect the result. */
const inputs = [
  'scripts/build.mjs',
  'package-lock.json',
  'tsconfig.base.json',
  'contract/package.json',
  'redaction/package.json',
  'faults/package.json',
  'fleet-config/package.json',
  'http/package.json',
  'server/package.json',
];

/** Packages that are bundled: only small parts of them are used, and loading them whole is slow, also for each database thread. */
const bundledPackages = [
  /^@muster\//,
  /^typebox(\/|$)/,
  /^fastest-levenshtein$/,
  /^js-yaml$/,
  /^uuid$/,
  /^kysely(\/|$)/,
  // The bundler's own helpers for newer syntax, which exist only during the build.
  /^@oxc-project\/runtime\//,
];

/**
 * Builds the stale bundles of the service, the command and the dashboard; takes seconds the first time and nothing when all are current. Says what it does,
 * because the first time takes minutes on a slow machine.
 */
export async function build() {
  const started = Date.now();
  const steps = [
    ...Object.values(bundles)
      .filter((bundle) => !isFresh(bundle))
      .map((bundle) => ({ title: bundle.title, run: () => buildBundle(bundle) })),
    ...(isDashboardFresh() ? [] : [{ title: 'the dashboard', run: buildFreshDashboard }]),
  ];
  for (const [index, { title, run }] of steps.entries()) {
    console.log(`Building ${title} (${index + 1} of ${steps.length}) …`);
    await run();
  }
  if (steps.length > 0) console.log(`Built in ${Math.round((Date.now() - started) / 1000)} s.`);
}

/** Builds only the files that tests and the service from source need. */
export async function buildWorkers() {
  for (const bundle of [bundles.worker, bundles.configWorker])
    if (!isFresh(bundle)) await buildBundle(bundle);
}

/**
 * Puts the built command into a folder, for distribution: the files that `build` makes, without their source maps.
 *
 * @param {string} outDirectory
 */
export async function buildCommandInto(outDirectory) {
  if (!isFresh(bundles.cli)) await buildBundle(bundles.cli);
  if (!isDashboardFresh()) await buildFreshDashboard();
  mkdirSync(outDirectory, { recursive: true });
  const names = new Set(Object.keys(bundles.cli.entries).map((name) => `${name}.mjs`));
  // An earlier build may have left others.
  for (const name of names) {
    const file = join(root, bundles.cli.outDirectory, name);
    const text = readFileSync(file, 'utf8');
    for (const [, imported = ''] of text.matchAll(/\b(?:from |import |import\()"\.\/([\w-]+\.mjs)"/g))
      names.add(imported);
    const { mode } = statSync(file);
    writeFileSync(join(outDirectory, name), text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, ''), { mode });
  }
  cpSync(join(root, dashboard.outDirectory), join(outDirectory, 'dashboard'), {
    recursive: true,
    filter: (path) => path !== dashboardStamp,
  });
}

/** True if `build` has nothing to do. */
export function isBuilt() {
  return Object.values(bundles).every((bundle) => isFresh(bundle)) && isDashboardFresh();
}

function isDashboardFresh() {
  return (
    existsSync(join(root, dashboard.outDirectory, 'index.html')) &&
    readText(dashboardStamp) === hashOfDashboard()
  );
}

/** Built beside its place and moved as a whole: a service reads all of it at once. */
async function buildFreshDashboard() {
  const hash = hashOfDashboard();
  const outDirectory = join(root, dashboard.outDirectory);
  const temporary = `${outDirectory}-${process.pid}`;
  try {
    await buildDashboard(temporary);
    rmSync(outDirectory, { recursive: true, force: true });
    renameSync(temporary, outDirectory);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  writeFileSync(dashboardStamp, hash);
}

const dashboardStamp = join(root, dashboard.outDirectory, '.dashboard.hash');

function hashOfDashboard() {
  return hashOfFiles([...dashboard.inputs, 'package-lock.json', ...dashboard.sources.flatMap(sourceFiles)]);
}

/** @param {Bundle} bundle */
function isFresh(bundle) {
  const names = Object.keys(bundle.entries);
  return (
    names.every((name) => existsSync(join(root, bundle.outDirectory, `${name}.mjs`))) &&
    readStamp(bundle) === hashOfSources(bundle)
  );
}

/** @param {Bundle} bundle */
async function buildBundle(bundle) {
  const hash = hashOfSources(bundle);
  const outDirectory = join(root, bundle.outDirectory);
  // Built in a temporary folder and moved file by file, so that a running process never reads half a file. The folder
  // has the same depth as its target, because source maps contain relative paths.
  const temporary = `${outDirectory}-${process.pid}`;
  try {
    await runBundler(bundle, temporary);
    mkdirSync(outDirectory, { recursive: true });
    for (const file of readdirSync(temporary)) renameSync(join(temporary, file), join(outDirectory, file));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  writeFileSync(stampFile(bundle), hash);
}

/**
 * Fails if a package that has to be in the bundle is not installed.
 *
 * @param {Pick<Bundle, 'entries'>} bundle
 * @param {string} outDirectory
 */
export async function runBundler(bundle, outDirectory) {
  // Loaded here, so that a start with current bundles does not wait for it.
  const tsdown = await import('tsdown');
  await tsdown.build({
    config: false,
    cwd: root,
    entry: bundle.entries,
    outDir: outDirectory,
    tsconfig: 'tsconfig.base.json',
    platform: 'node',
    target: 'node20.19',
    sourcemap: true,
    hash: false,
    dts: false,
    report: false,
    clean: false,
    logLevel: 'warn',
    // A package that is not installed is only a warning to the bundler; the result would not start, and would count as current.
    failOnWarn: true,
    // What most commands need is one file: to open and link one takes longer than to read it.
    outputOptions: {
      codeSplitting: {
        groups: [{ name: 'command', test: /[\\/]cli[\\/]src[\\/]/, minShareCount: 4 }],
      },
    },
    deps: { alwaysBundle: bundledPackages, neverBundle: isExternalPackage, onlyBundle: false },
    // The contract is data: code that uses one function of it does not load all of its schemas.
    treeshake: { moduleSideEffects: [{ test: /[\\/]contract[\\/]src[\\/]/, sideEffects: false }] },
  });
}

/**
 * Every package that is not bundled, from any workspace's dependencies.
 *
 * @param {string} id
 */
export function isExternalPackage(id) {
  const isPackage = /^[^./\0]/.test(id) && !/^[A-Za-z]:[\\/]/.test(id);
  return isPackage && !bundledPackages.some((pattern) => pattern.test(id));
}

/** @param {Bundle} bundle */
function hashOfSources(bundle) {
  return hashOfFiles([...inputs, ...bundle.sources.flatMap(sourceFiles)]);
}

/** @param {readonly string[]} files */
function hashOfFiles(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

/**
 * Without what only tests use.
 *
 * @param {string} folder
 * @returns {string[]}
 */
function sourceFiles(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === 'testing' ? [] : sourceFiles(path);
      return entry.name.endsWith('.test.ts') ? [] : [path];
    });
}

/** @param {Bundle} bundle */
function readStamp(bundle) {
  return readText(stampFile(bundle));
}

/** @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** @param {Bundle} bundle */
function stampFile({ outDirectory, entries }) {
  return join(root, outDirectory, `.${Object.keys(entries)[0]}.hash`);
}

/** @param {unknown} error */
function reportFailure(error) {
  // The bundler colours its message even if this is not a terminal.
  const message = error instanceof Error ? error.message : String(error);
  console.error(process.stderr.isTTY ? message : stripVTControlCharacters(message));
  process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await build().catch(reportFailure);
