import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository, without a slash at its end. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

const skippedFolders = new Set(['node_modules', 'dist', 'coverage']);

/** Files below a folder of the repository, by their path from the root; none if the folder does not exist. */
export function filesBelow(folder: string, extensions: readonly string[]): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      return skippedFolders.has(entry.name) || entry.name.startsWith('.') ? [] : filesBelow(path, extensions);
    }
    return extensions.some((extension) => entry.name.endsWith(extension)) ? [path] : [];
  });
}

export function readSource(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

export function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || path.includes('/testing/');
}

/** The shipped files: every TypeScript file of a workspace except its tests. */
export function productFiles(): string[] {
  return [
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
    'web/src',
  ]
    .flatMap((folder) => filesBelow(folder, ['.ts', '.tsx']))
    .filter((path) => !isTest(path));
}
