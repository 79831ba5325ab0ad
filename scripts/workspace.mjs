import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @typedef {{
 *   dependencies?: Record<string, string>,
 *   devDependencies?: Record<string, string>,
 *   optionalDependencies?: Record<string, string>,
 *   peerDependencies?: Record<string, string>,
 * }} DependencyLists
 */

/**
 * What a package.json says, as far as the scripts look at it.
 *
 * @typedef {DependencyLists & {
 *   version?: string,
 *   description?: string,
 *   license?: string,
 *   type?: string,
 *   engines?: { node?: string },
 *   workspaces?: string[],
 *   overrides?: object,
 *   allowScripts?: object,
 * }} Manifest
 */

/**
 * @param {string} folder
 * @returns {Manifest}
 */
export function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
