import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, readSource, root } from '../architecture/source-files.ts';

/** References of the load harness point to results that a full run writes. */
const documents = filesBelow('.', ['.md']).filter((path) => !/^(samples|bench)\//.test(path));

interface Reference {
  readonly from: string;
  readonly to: string;
}

/** Links within the repository. */
function linksOf(from: string): Reference[] {
  const targets = [...withoutBlocks(readSource(from)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = '']) => to);
  return targets.filter((to) => !/^[a-z]+:/.test(to)).map((to) => ({ from, to }));
}

/** Files that are named in code style, by their path from the root. */
function filesNamedIn(from: string): Reference[] {
  const named = withoutBlocks(readSource(from)).matchAll(
    /`((?:bench|cli|contract|demo|deploy|docs|samples|scripts|server|test)\/[\w./-]+\.\w+)`/g,
  );
  return [...named].map(([, to = '']) => ({ from, to }));
}

function withoutBlocks(markdown: string): string {
  return markdown.replaceAll(/^```[\s\S]*?^```$/gm, '');
}

/** Anchors in the form that repository hosts generate. */
function anchorsOf(path: string): string[] {
  return [...withoutBlocks(readSource(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function isReachable({ from, to }: Reference): boolean {
  const [file = '', anchor] = to.split('#');
  const path = file === '' ? from : normalize(join(dirname(from), file));
  if (!existsSync(join(root, path))) return false;
  return anchor === undefined || anchorsOf(path).includes(anchor);
}

describe('the documents', () => {
  it('link to existing targets', () => {
    const links = documents.flatMap(linksOf);
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((link) => !isReachable(link))).toEqual([]);
  });

  it('name existing files', () => {
    const named = documents.flatMap(filesNamedIn);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ to }) => !existsSync(join(root, to)))).toEqual([]);
  });

  it('can be reached from the README', () => {
    const reached = new Set<string>();
    const follow = (path: string): void => {
      if (reached.has(path) || !documents.includes(path)) return;
      reached.add(path);
      for (const { to } of linksOf(path)) {
        const [file = ''] = to.split('#');
        if (file !== '') follow(normalize(join(dirname(path), file)));
      }
    };
    follow('README.md');
    const withinFolders = documents.filter((path) => !path.startsWith('docs/decisions/'));
    expect(withinFolders.filter((path) => !reached.has(path))).toEqual([]);
  });
});
