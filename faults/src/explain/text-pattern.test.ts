import { describe, expect, it } from 'vitest';
import { matchPattern, parsePattern } from './text-pattern.ts';

const match = (pattern: string, text: string) => matchPattern(parsePattern(pattern), text);

describe('a pattern', () => {
  it.each([
    ['abc', 'xabcx', {}],
    ['a*c', 'a, b, c', {}],
    ["'{wrong}' is wrong", "I say 'this' is wrong", { wrong: 'this' }],
    ['keys: {wrong}', 'keys: a, b\nmore', { wrong: 'a, b' }],
    ['{wrong} of {valid}.', 'x of y, z. And so on.', { wrong: 'x', valid: 'y, z' }],
    ['a.b(c)', 'a.b(c)', {}],
    ['abc', 'ab', undefined],
    ['a*c', 'c a', undefined],
    ['a.c', 'abc', undefined],
    ['a', 'A', undefined],
  ])('%j in %j: %j', (pattern, text, found) => {
    expect(match(pattern, text)).toEqual(found);
  });

  it('returns the complete words that every matching text contains', () => {
    expect(parsePattern("[config] section '*' is missing").words).toEqual(['config', 'section', 'is']);
  });
});
