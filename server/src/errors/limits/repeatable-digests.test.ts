import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { RepeatableDigests } from './repeatable-digests.ts';

const texts = (count: number, name = 'text') =>
  Array.from({ length: count }, (_, index) => `${name} ${index}`);
const joined = (of: readonly string[]) => of.map((text) => hash('sha256', text).slice(0, 8)).join('');

describe('RepeatableDigests', () => {
  it.each([0, 1, 2, 3, 1_000])('of %i texts has each of them, and no other', (count) => {
    const digests = new RepeatableDigests(joined(texts(count)));
    expect(digests.size).toBe(count);
    expect(texts(count).filter((text) => !digests.mayHave(text))).toEqual([]);
    // One in four million by chance; these are none.
    expect(texts(1_000, 'other').filter((text) => digests.mayHave(text))).toEqual([]);
  });

  it('accepts them in any order, in upper case, and repeated', () => {
    const hex = joined(['b', 'a', 'b', 'c']);
    for (const digests of [new RepeatableDigests(hex), new RepeatableDigests(hex.toUpperCase())]) {
      expect(['a', 'b', 'c', 'd'].filter((text) => digests.mayHave(text))).toEqual(['a', 'b', 'c']);
    }
  });

  it('contains the smallest and the largest', () => {
    const of = (prefix: string) => new RepeatableDigests(`${prefix}00000000ffffffff`);
    expect(of('').size).toBe(2);
    expect(of(hash('sha256', 'a').slice(0, 8)).mayHave('a')).toBe(true);
    expect(of('').mayHave('a')).toBe(false);
  });
});
