import { describe, expect, it } from 'vitest';
import { isSignificant } from './is-significant.ts';

describe('isSignificant', () => {
  it.each<[counts: [number, number, number, number], expected: boolean, probability: string]>([
    [[2, 5, 0, 95], true, '0.002'],
    [[1, 5, 0, 95], false, '0.05'],
    [[2, 100, 0, 900], true, '0.0099'],
    [[2, 128, 0, 72], false, '0.41'],
    [[4, 100, 0, 100], false, '0.061'],
    [[5, 100, 0, 100], true, '0.03'],
    [[30, 100, 10, 100], true, '0.0004'],
    [[50, 100, 50, 100], false, '0.56'],
    [[100, 100, 100, 100], false, '1'],
    [[50_000, 50_000, 0, 50_000], true, '0'],
    [[1_010, 50_000, 1_000, 50_000], false, '0.42'],
  ])('%j: %s, since chance alone has the probability %s', (counts, expected) => {
    expect(isSignificant(...counts)).toBe(expected);
  });
});
