import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest } from './workspace.mjs';

/**
 * One package of package-lock.json, and all packages by their path.
 *
 * @typedef {import('./workspace.mjs').DependencyLists & {
 *   optional?: boolean,
 *   link?: boolean,
 *   os?: string[],
 *   cpu?: string[],
 *   libc?: string[],
 * }} LockEntry
 * @typedef {Record<string, LockEntry>} LockEntries
 */

/** Stored in node_modules, so that it is deleted with it. */
const markerName = '.muster-installed';
/** npm's own record in node_modules: the part of the lock that it installed. */
const npmMarkerName = '.package-lock.json';

/**
 * Tells whether node_modules matches package-lock.json and the manifests.
 *
 * @param {string} root
 */
export function isInstalled(root) {
  if (readMarker(root) === fingerprint(root)) return true;
  if (!installedByHand(root)) return false;
  markInstalled(root);
  return true;
}

/**
 * Records that node_modules is up to date now.
 *
 * @param {string} root
 */
export function markInstalled(root) {
  writeFileSync(join(root, 'node_modules', markerName), fingerprint(root));
}

/**
 * Removes the record, so that an interrupted install does not count as complete.
 *
 * @param {string} root
 */
export function forgetInstallation(root) {
  for (const name of [markerName, npmMarkerName]) rmSync(join(root, 'node_modules', name), { force: true });
}

/**
 * The number of packages that package-lock.json installs on this machine.
 *
 * @param {string} root
 */
export function countPackages(root) {
  const entries = Object.values(readLock(join(root, 'package-lock.json')) ?? {});
  return entries.filter((entry) => !entry.link && isNeededHere(entry)).length;
}

/** @param {string} root */
function readMarker(root) {
  try {
    return readFileSync(join(root, 'node_modules', markerName), 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Changes with everything that changes an installation. Scripts and descriptions do not, but the platform does,
 * because a copied or mounted node_modules may contain the wrong binaries.
 *
 * @param {string} root
 */
function fingerprint(root) {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const manifests = manifestFolders(root).map((folder) => installPartOf(join(root, folder)));
  return createHash('sha256')
    .update(JSON.stringify([process.platform, process.arch, manifests]))
    .update(lock)
    .digest('hex');
}

/** @param {string} root */
function manifestFolders(root) {
  return ['.', ...(readManifest(root).workspaces ?? [])];
}

/** @param {string} folder */
function installPartOf(folder) {
  const manifest = readManifest(folder);
  return [...dependenciesOf(manifest), manifest.workspaces, manifest.overrides, manifest.allowScripts];
}

/** @param {import('./workspace.mjs').DependencyLists} lists */
function dependenciesOf({ dependencies, devDependencies, optionalDependencies, peerDependencies }) {
  return [dependencies, devDependencies, optionalDependencies, peerDependencies].map((list) =>
    Object.entries(list ?? {}).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/**
 * True after an `npm install` or `npm ci` by hand.
 *
 * @param {string} root
 */
function installedByHand(root) {
  const wanted = readLock(join(root, 'package-lock.json'));
  const installed = readLock(join(root, 'node_modules', npmMarkerName));
  if (wanted === undefined || installed === undefined) return false;
  return lockFollowsManifests(root, wanted) && holdsAll(installed, wanted);
}

/**
 * @param {string} root
 * @param {LockEntries} wanted
 */
function lockFollowsManifests(root, wanted) {
  return manifestFolders(root).every((folder) => {
    const locked = wanted[folder === '.' ? '' : folder];
    const manifest = readManifest(join(root, folder));
    return locked !== undefined && isEqual(dependenciesOf(locked), dependenciesOf(manifest));
  });
}

/**
 * @param {LockEntries} installed
 * @param {LockEntries} wanted
 */
function holdsAll(installed, wanted) {
  return (
    Object.keys(installed).every((path) => path in wanted) &&
    Object.entries(wanted).every(([path, entry]) => {
      if (path === '') return true;
      const present = installed[path];
      return present === undefined ? !isNeededHere(entry) : isEqual(present, entry);
    })
  );
}

/**
 * Optional packages are needed if they name this platform and processor. A package for a specific C library may be
 * missing: it takes long to find out which library this machine has.
 *
 * @param {LockEntry} entry
 */
function isNeededHere({ optional, os, cpu, libc }) {
  if (!optional) return true;
  return (
    libc === undefined && os?.includes(process.platform) === true && (cpu?.includes(process.arch) ?? true)
  );
}

/**
 * @param {string} file
 * @returns {LockEntries | undefined}
 */
function readLock(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/**
 * @param {unknown} one
 * @param {unknown} other
 */
function isEqual(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
