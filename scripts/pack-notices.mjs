import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledPackagesFile } from './build-dashboard.mjs';
import { root } from './workspace.mjs';

/**
 * The licences of the packages whose code is bundled; the built files name each source file that they
 * contain. Packages that are packed unchanged contain their own.
 *
 * @param {string} distFolder
 * @throws Error when one of them has no licence file
 */
export function bundledNotices(distFolder) {
  const head = 'Parts of these packages are contained in the files in dist/.\n';
  return [head, ...bundledPackages(distFolder).map(noticeOf)].join(`\n${'-'.repeat(80)}\n\n`);
}

/** @param {string} distFolder */
function bundledPackages(distFolder) {
  const files = readdirSync(distFolder).filter((name) => name.endsWith('.mjs'));
  const names = files.flatMap((name) => {
    const regions = readFileSync(join(distFolder, name), 'utf8').matchAll(
      /^\s*\/\/#region \S*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)/gm,
    );
    return [...regions].map(([, packageName = '']) => packageName);
  });
  /** @type {string[]} */
  const ofDashboard = JSON.parse(readFileSync(join(distFolder, 'dashboard', bundledPackagesFile), 'utf8'));
  return [...new Set([...names, ...ofDashboard])].sort();
}

/**
 * Packages that were published without their licence file, with another of the same author under the
 * same licence.
 *
 * @type {Readonly<Record<string, string>>}
 */
const licenceIn = { 'react-remove-scroll-bar': 'react-remove-scroll' };

/** @param {string} name */
function noticeOf(name) {
  const folder = join(root, 'node_modules', name);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const licenceFolder = join(root, 'node_modules', licenceIn[name] ?? name);
  const file = readdirSync(licenceFolder).find((one) => /^licen[cs]e(\.\w+)?$/i.test(one));
  if (file === undefined) throw new Error(`${name} has no licence file, but its code would be distributed.`);
  return `${name} ${version}\n\n${readFileSync(join(licenceFolder, file), 'utf8').replaceAll('\r\n', '\n').trim()}\n`;
}
