import { parseDiff } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { excerptOf, leftOutBefore, markChanges } from './mark-changes.ts';

describe('markChanges', () => {
  const marked = (...diff: string[]) =>
    markChanges(parseDiff(['--- a', '+++ b', '@@ -1,9 +1,9 @@', ...diff].join('\n')))
      .slice(1)
      .map(({ parts }) => parts.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join(''));

  it('marks the words that differ between a line and the one in its place', () => {
    expect(marked(' name http', '-  port  443', '+  port  9', '-a x z', '+a y z')).toEqual([
      'name http',
      '  port  [443]',
      '  port  [9]',
      'a [x] z',
      'a [y] z',
    ]);
  });

  it('marks whole words, and nothing in lines that are others altogether or have no partner', () => {
    expect(marked('-port 4431', '+port 4432', ' x', '-one', '+two', ' y', '+port 5')).toEqual([
      'port [4431]',
      'port [4432]',
      'x',
      'one',
      'two',
      'y',
      'port 5',
    ]);
  });
});

describe('excerptOf', () => {
  const lines = parseDiff(
    [
      '--- a',
      '+++ b',
      '@@ -1,4 +1,4 @@',
      '-# 41',
      '+# 42',
      ' a',
      ' b',
      ' c',
      '-port 443',
      '+port 9',
      ' d',
    ].join('\n'),
  );
  const texts = (wanted: string[], most: number) => excerptOf(lines, wanted, most).map(({ text }) => text);

  it('shows the change in which a value stands, otherwise the first one', () => {
    expect(texts(['9'], 5)).toEqual(['b', 'c', 'port 443', 'port 9', 'd']);
    expect(texts([], 4)).toEqual(['# 41', '# 42', 'a']);
  });
});

describe('leftOutBefore', () => {
  it('counts the equal lines before each place of a difference', () => {
    const lines = parseDiff(
      ['--- a', '+++ b', '@@ -3,2 +3,2 @@', ' a', '-b', '+c', '@@ -12,1 +12,2 @@', ' d', '+e'].join('\n'),
    );
    const places = lines.flatMap(({ kind }, place) => (kind === 'hunk' ? [place] : []));
    expect(places.map((place) => leftOutBefore(lines, place))).toEqual([2, 7]);
  });
});
