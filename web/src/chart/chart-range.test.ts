import { describe, expect, it } from 'vitest';
import { levelsOf, rangeSince, rangeWithData } from './chart-range.ts';

const hour = 3_600_000;

describe('rangeSince', () => {
  it.each([
    [0.1, 'hour'],
    [0.99, 'day'],
    [5, 'day'],
    [23.5, 'month'],
    [2_000, 'month'],
  ] as const)('shows what began %d hours ago in the last %s', (age, range) => {
    expect(rangeSince(0, age * hour)).toBe(range);
  });
});

describe('levelsOf', () => {
  it('goes back from what is now', () => {
    const buckets = [0, 5, 0, 3].map((agentsCount) => ({ agentsCount }));
    expect(levelsOf(buckets, 8)).toEqual([0, 5, 5, 8]);
    expect(levelsOf(buckets, 10)).toEqual([2, 7, 7, 10]);
  });

  it('shows how many got it if it has ended on some or all of them', () => {
    const buckets = [0, 5, 0, 3, 0].map((agentsCount) => ({ agentsCount }));
    expect(levelsOf(buckets, 0)).toEqual([0, 5, 5, 8, 0]);
    expect(levelsOf(buckets, 2)).toEqual([0, 5, 5, 8, 2]);
  });
});

describe('rangeWithData', () => {
  it.each([
    [[0, 0, 7], 'hour'],
    [[0, 1, 7], 'day'],
    [[0, 1, 0], 'day'],
    [[0, 0, 0], 'month'],
    [[], 'month'],
  ] as const)('shows hours with %j errors in the last %s', (counts, range) => {
    const hours = counts.map((errorsCount, place) => ({ startsAt: String(place), errorsCount }));
    expect(rangeWithData(hours)).toBe(range);
  });
});
