import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isExternalPackage } from './build.mjs';
import { readManifest, root } from './workspace.mjs';

/** Workspaces whose code becomes part of the command. */
const bundledWorkspaces = [
  'contract',
  'redaction',
  'faults',
  'fleet-config',
  'http',
  'server',
  'client',
  'report',
  'core-instance',
  'cli',
];

/**
 * One package in package-lock.json.
 *
 * @typedef {import('./workspace.mjs').DependencyLists & {
 *   version?: string,
 *   peerDependenciesMeta?: Record<string, { optional?: boolean }>,
 * }} LockedPackage
 */

/**
 * Packages that the command loads at run time, by name, with the version that the workspaces require.
 *
 * @returns {Record<string, string>}
 */
export function runtimeDependencies() {
  const all = bundledWorkspaces.flatMap((folder) =>
    Object.entries(readManifest(join(root, folder)).dependencies ?? {}),
  );
  return Object.fromEntries(all.filter(([name]) => isExternalPackage(name)).sort());
}

/**
 * Paths of those packages and all of their dependencies, in the layout of package-lock.json:
 * `node_modules/fastify`, `node_modules/a/node_modules/b`, …
 *
 * @returns {Record<string, string>} version by path
 * @throws Error if a dependency is not locked
 */
export function lockedPackages() {
  /** @type {Record<string, LockedPackage>} */
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  /** @type {Map<string, string>} */
  const found = new Map();
  /** @type {[from: string, name: string, isOptional: boolean][]} */
  const open = Object.keys(runtimeDependencies()).map((name) => ['', name, false]);
  for (const [from, name, isOptional] of open) {
    const path = findPackage(lock, from, name);
    const locked = path === undefined ? undefined : lock[path];
    if (path === undefined || locked?.version === undefined) {
      if (isOptional) continue;
      throw new Error(
        `${name}, which ${from || 'the command'} needs, is not in package-lock.json: run npm install.`,
      );
    }
    if (found.has(path)) continue;
    found.set(path, locked.version);
    for (const [needed, optional] of neededBy(locked)) open.push([path, needed, optional]);
  }
  return Object.fromEntries([...found].sort());
}

/**
 * Copies the files that are needed at run time into a folder with the same layout.
 *
 * @param {string} folder
 * @throws Error if the installed version is not the locked one
 */
export function copyLockedPackages(folder) {
  for (const [path, version] of Object.entries(lockedPackages())) {
    const installed = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')).version;
    if (installed !== version)
      throw new Error(`${path} is ${installed}, but package-lock.json has ${version}: run npm ci.`);
    cpSync(join(root, path), join(folder, path), {
      recursive: true,
      filter: (file) => runs(relative(join(root, path), file).replaceAll(sep, '/')),
    });
    dropInstallScript(join(folder, path));
  }
}

/**
 * Tells whether a file of a package is needed at run time; its tests, types, sources and documents are not.
 * Packages within it are copied by their own path.
 *
 * @param {string} file within the package
 */
function runs(file) {
  const isDevelopment = /^(node_modules|\.github|tests?|bench(marks?)?|examples?)(\/|$)|\.test\.\w+$/.test(
    file,
  );
  // SQLite itself and its binding, which the package contains compiled for each platform.
  const isSource = /(\.map|\.[cm]?ts|\.cpp|\.[ch]|\.gyp)$/.test(file);
  // The same code again, for bundlers and for browsers.
  const isForOthers = /^(build\/(esm|esnext)|browser)(\/|$)/.test(file);
  // The licence may be in the README.
  const isDocument = /\.md$/i.test(file) && !/(^|\/)(readme|licen[cs]e|copying|notice)[^/]*$/i.test(file);
  return !isDevelopment && !isSource && !isForOthers && !isDocument;
}

/**
 * The package contains compiled binaries for each platform that needs one, and elsewhere Node has SQLite itself. npm refuses or
 * warns about install scripts.
 *
 * @param {string} folder
 */
function dropInstallScript(folder) {
  const file = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  if (manifest.scripts?.install === undefined) return;
  delete manifest.scripts.install;
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * @param {LockedPackage} locked
 * @returns {[name: string, isOptional: boolean][]}
 */
function neededBy({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} }) {
  return [
    ...Object.keys(dependencies ?? {}).map((name) => /** @type {[string, boolean]} */ ([name, false])),
    ...Object.keys(optionalDependencies ?? {}).map((name) => /** @type {[string, boolean]} */ ([name, true])),
    ...Object.keys(peerDependencies ?? {})
      .filter((name) => peerDependenciesMeta[name]?.optional !== true)
      .map((name) => /** @type {[string, boolean]} */ ([name, false])),
  ];
}

/**
 * As Node resolves it: beside the package that needs it, then in the folders above.
 *
 * @param {Record<string, LockedPackage>} lock
 * @param {string} from
 * @param {string} name
 * @returns {string | undefined}
 */
function findPackage(lock, from, name) {
  const path = from === '' ? `node_modules/${name}` : `${from}/node_modules/${name}`;
  if (path in lock) return path;
  return from === ''
    ? undefined
    : findPackage(lock, from.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, ''), name);
}
