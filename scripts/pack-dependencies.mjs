import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isExternalPackage } from './build.mjs';
import { readManifest, root } from './workspace.mjs';

/** Workspaces whose code goes into the command. */
const bundledWorkspaces = ['contract', 'redaction', 'server', 'client', 'report', 'cli'];

/**
 * One package in package-lock.json.
 *
 * @typedef {import('./workspace.mjs').DependencyLists & {
 *   version?: string,
 *   peerDependenciesMeta?: Record<string, { optional?: boolean }>,
 * }} LockedPackage
 */

/**
 * Packages that the command loads when it runs, by name, with the one version that the workspaces name.
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
 * Where those packages and all that they need in turn lie, as package-lock.json has laid them out:
 * `node_modules/fastify`, `node_modules/a/node_modules/b`, …
 *
 * @returns {Record<string, string>} version by path
 * @throws Error when something needed is not locked
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
 * Copies what runs of them into a folder in that same layout.
 *
 * @param {string} folder
 * @throws Error when what is installed is not what is locked
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
 * Tells what of a package is there when it runs, from what its maker uses to test it and others to compile against it.
 * Packages within it are copied by their own path, where they are needed.
 *
 * @param {string} file within the package
 */
function runs(file) {
  const isDevelopment = /^(node_modules|\.github|tests?|bench(marks?)?|examples?)(\/|$)|\.test\.\w+$/.test(
    file,
  );
  // SQLite itself and its binding, which are there compiled for each platform.
  const isSource = /(\.map|\.[cm]?ts|\.cpp|\.[ch]|\.gyp)$/.test(file);
  return !isDevelopment && !isSource;
}

/**
 * What it would compile is packed for each platform that has it, and Node has SQLite itself elsewhere; npm refuses or
 * warns of scripts that run at the install.
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
 * As Node looks for it: beside the one that needs it, then further up.
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
