import { describe, expect, it } from 'vitest';
import { importsOf } from '../architecture/read-imports.ts';
import { filesBelow, isTest, readSource, root } from '../architecture/source-files.ts';
import { compile, node } from './compile.ts';

const sources = filesBelow('client/src', ['.ts']).filter((path) => !isTest(path));
const programs = Object.fromEntries(sources.map((path) => [`${root}/${path}`, readSource(path)]));

describe('the source of the SDK', () => {
  it.each([
    ['a browser', { lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'], types: [] }],
    ['a worker', { lib: ['lib.es2022.d.ts', 'lib.webworker.d.ts'], types: [] }],
    ['Node', node],
  ])('uses nothing that %s does not have', (_, platform) => {
    expect(compile(programs, platform)).toEqual([]);
  });

  it('imports nothing but itself', () => {
    const foreign = sources.flatMap(importsOf).filter(({ to }) => !to.startsWith('client/src/'));
    expect(foreign).toEqual([]);
  });
});
