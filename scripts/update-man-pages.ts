import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manPages } from './man-pages.ts';
import { root } from './workspace.mjs';

const folder = 'cli/man';

/**
 * Brings the pages of the manual up to date, or with `isCheck` only looks. Answers the files that were not.
 */
export function updateManPages({ isCheck }: { readonly isCheck: boolean }): string[] {
  const pages = manPages();
  const names = new Set([...Object.keys(pages), ...readdirSync(join(root, folder))]);
  return [...names].sort().flatMap((name) => {
    const file = join(root, folder, name);
    const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    const after = pages[name];
    if (before === after) return [];
    // A command that is gone leaves no page behind.
    if (!isCheck && after === undefined) rmSync(file);
    if (!isCheck && after !== undefined) writeFileSync(file, after);
    return [`${folder}/${name}`];
  });
}
