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
    const gained = [0, 5, 0, 3];
    expect(levelsOf({ gained, now: 8, stored: 8 })).toEqual([0, 5, 5, 8]);
    expect(levelsOf({ gained, now: 10, stored: 10 })).toEqual([2, 7, 7, 10]);
  });

  it('shows how many got it if it has ended on some or all of them', () => {
    const gained = [0, 5, 0, 3, 0];
    expect(levelsOf({ gained, now: 0, stored: 8 })).toEqual([0, 5, 5, 8, 0]);
    expect(levelsOf({ gained, now: 2, stored: 8 })).toEqual([0, 5, 5, 8, 2]);
  });

  it('shows no more agents than there are if the same agents get it with other texts again', () => {
    expect(levelsOf({ gained: [0, 1, 2, 2, 2], now: 2, stored: 2 })).toEqual([0, 1, 2, 2, 2]);
  });

  it('counts nobody twice who has it again after a dismissal', () => {
    const all = { now: 231, back: 3, stored: 231 };
    expect(levelsOf({ ...all, gained: [0, 231, 0, 231, 0] })).toEqual([0, 231, 231, 231, 231]);
    expect(levelsOf({ ...all, gained: [0, 231, 0, 200, 9], now: 209 })).toEqual([0, 231, 231, 200, 209]);
    expect(levelsOf({ gained: [3, 0], now: 3, back: -1, stored: 3 })).toEqual([3, 3]);
    // The dismissal was undone, so that it has not come back.
    expect(levelsOf({ ...all, back: -1, gained: [0, 231, 0, 200, 0] })).toEqual([0, 231, 231, 231, 231]);
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
