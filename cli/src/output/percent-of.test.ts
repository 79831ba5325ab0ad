import { expect, it } from 'vitest';
import { percentOf } from './percent-of.ts';

it.each([
  [0, '0%'],
  [1 / 5_000, '<1%'],
  [0.01, '1%'],
  [0.231, '23%'],
  [0.235, '24%'],
  [0.99, '99%'],
  [4_999 / 5_000, '>99%'],
  [1, '100%'],
])('a share of %d is %s', (share, text) => {
  expect(percentOf(share)).toBe(text);
});
