import { expect, it } from 'vitest';
import { beginningOf } from './beginning-of.ts';

it('cuts a text between characters', () => {
  expect(beginningOf('ab👍', 3)).toBe('ab');
  expect(beginningOf('ab👍', 4)).toBe('ab👍');
  expect(beginningOf('abc', 2)).toBe('ab');
});
