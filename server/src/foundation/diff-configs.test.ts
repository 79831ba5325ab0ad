import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { type ConfigDifference, diffConfigs } from './diff-configs.ts';

function apply(from: string, { hunks }: ConfigDifference): string | false {
  if (hunks === '') return from;
  return applyPatch(from, `--- a\n+++ b\n${hunks}`, { autoConvertLineEndings: false });
}

const manyLines = 500_000;

function lines(count: number, lineAt: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => lineAt(index)).join('\n');
}

describe('the difference of two configurations', () => {
  it('is empty for equal ones', () => {
    expect(diffConfigs('a\n', 'a\n')).toEqual({ hunks: '', addedLines: 0, removedLines: 0, isCoarse: false });
  });

  it('shows three lines around each change, and joins changes that are near', () => {
    const from = '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n';
    const to = from.replace('5\n', 'five\n').replace('7\n', '').replace('20\n', '20\n21\n');
    expect(diffConfigs(from, to)).toEqual({
      hunks:
        '@@ -2,9 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n 6\n-7\n 8\n 9\n 10\n@@ -18,3 +17,4 @@\n 18\n 19\n 20\n+21\n',
      addedLines: 2,
      removedLines: 2,
      isCoarse: false,
    });
  });

  it('counts the lines before the first change', () => {
    const from = lines(1_000, (index) => `line ${index}`);
    const to = from.replace('line 700\n', 'changed\n');
    expect(diffConfigs(from, to).hunks).toBe(
      '@@ -698,7 +698,7 @@\n line 697\n line 698\n line 699\n-line 700\n+changed\n line 701\n line 702\n line 703\n',
    );
  });

  it('says where a last line has no line break', () => {
    expect(diffConfigs('a\nb', 'a\nb\n').hunks).toBe(
      '@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n',
    );
  });

  it('adds all lines of a first configuration', () => {
    expect(diffConfigs('', 'a\nb\n')).toEqual({
      hunks: '@@ -0,0 +1,2 @@\n+a\n+b\n',
      addedLines: 2,
      removedLines: 0,
      isCoarse: false,
    });
  });

  it('keeps control characters and carriage returns as they are', () => {
    const from = 'a\r\n\u001b[31mred\n\u2028x\n';
    const to = 'a\r\n\u001b[32mgreen\n\u2028x\n';
    expect(diffConfigs(from, to).hunks).toBe(
      '@@ -1,3 +1,3 @@\n a\r\n-\u001b[31mred\n+\u001b[32mgreen\n \u2028x\n',
    );
  });

  it('makes the one of the other, whatever they are', () => {
    const line = fc.constantFrom(
      '',
      'a',
      'b',
      'c',
      '-',
      '+',
      '@@ -1 +1 @@',
      ' ',
      '\r',
      '\\',
      '--- x',
      '\u2028',
    );
    const text = fc
      .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
      .map(([parts, isEnded]) => parts.join('\n') + (isEnded ? '\n' : ''));
    fc.assert(
      fc.property(text, text, (from, to) => {
        const difference = diffConfigs(from, to);
        expect(apply(from, difference)).toBe(to);
        expect(difference.isCoarse).toBe(false);
      }),
      { seed: 7, numRuns: rounds(1_000) },
    );
  });

  it.each([
    [
      'too many lines',
      lines(manyLines, (index) => `${index % 10}`),
      lines(manyLines, (index) => `${(index * 7) % 10}`),
    ],
    ['too many differences', lines(2_000, (index) => `a${index}`), lines(2_000, (index) => `b${index}`)],
    ['a megabyte of empty lines', '\n'.repeat(1_048_576), `x${'\n'.repeat(1_000_000)}y`],
  ])('shows %s as replaced, from the first difference to the last one', (_, from, to) => {
    const difference = diffConfigs(`first\n${from}\nlast\n`, `first\n${to}\nlast\n`);
    expect(difference.isCoarse).toBe(true);
    expect(difference.hunks).not.toMatch(/^.(?:first|last)$/m);
    const replaced = difference.hunks.split('\n').slice(1, -1);
    expect(replaced.filter((line) => line.startsWith('-'))).toHaveLength(difference.removedLines);
    expect(replaced.filter((line) => line.startsWith('+'))).toHaveLength(difference.addedLines);
    expect(apply(`first\n${from}\nlast\n`, difference) === `first\n${to}\nlast\n`).toBe(true);
  });

  it('compares half a million lines of which a few differ', () => {
    const from = lines(manyLines, (index) => `${index % 10}`);
    const to = `${from.slice(0, 500_000)}x${from.slice(500_000)}`;
    expect(diffConfigs(from, to)).toMatchObject({ addedLines: 1, removedLines: 1, isCoarse: false });
  });
});
