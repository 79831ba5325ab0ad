import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, readSource } from './source-files.ts';

const files = filesBelow('.', ['.ts', '.tsx', '.mjs', '.js', '.css']).filter(
  (path) => !path.startsWith('samples/'),
);

/** Words that say nothing in a name. `schemas/common.ts` of the contract holds the shapes that every schema shares. */
const emptyWords = [
  'util',
  'utils',
  'helper',
  'helpers',
  'common',
  'manager',
  'misc',
  'base',
  'shared',
  'stuff',
];
const exceptions = ['contract/src/schemas/common.ts'];

const maxLines = 500;

/** It calls every operation, and fails for one that it does not call. */
const longer = 'test/client/operations.test.ts';

describe('source files', () => {
  it('are found', () => {
    expect(files).toEqual(expect.arrayContaining(['server/src/app/build-app.ts', 'scripts/workspace.mjs']));
  });

  it('have names in kebab-case', () => {
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.(property|test|config|module|gen|d|bench))*\.(tsx?|mjs|js|css)$/;
    expect(files.filter((path) => !kebab.test(basename(path)))).toEqual([]);
  });

  it('are in folders with names in kebab-case', () => {
    const folders = new Set(files.flatMap((path) => path.split('/').slice(0, -1)));
    expect([...folders].filter((folder) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(folder))).toEqual([]);
  });

  it('are named after their content, not utils, helpers, common or manager', () => {
    const empty = files.filter((path) => {
      const words = path.replace(/\.\w+$/, '').split(/[/.-]/);
      return words.some((word) => emptyWords.includes(word));
    });
    expect(empty.filter((path) => !exceptions.includes(path))).toEqual([]);
  });

  it(`have at most ${maxLines} lines`, () => {
    const long = files
      .filter((path) => !path.endsWith('.gen.ts'))
      .map((path) => ({ path, lines: readSource(path).split('\n').length - 1 }))
      .filter(({ path, lines }) => lines > maxLines && path !== longer);
    expect(long).toEqual([]);
  });
});
