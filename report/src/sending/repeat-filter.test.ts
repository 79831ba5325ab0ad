import { describe, expect, it } from 'vitest';
import { RepeatFilter } from './repeat-filter.ts';

describe('RepeatFilter', () => {
  it('lets a text through at once, and again when the interval has passed', () => {
    let now = 0;
    const filter = new RepeatFilter({ intervalMilliseconds: 60_000, now: () => now });
    expect([filter.passes('a'), filter.passes('b'), filter.passes('a')]).toEqual([true, true, false]);
    now = 59_999;
    expect(filter.passes('a')).toBe(false);
    now = 60_000;
    expect([filter.passes('a'), filter.passes('a')]).toEqual([true, false]);
  });

  it('remembers the last 1,000 texts', () => {
    const filter = new RepeatFilter({ intervalMilliseconds: Number.POSITIVE_INFINITY, now: () => 0 });
    for (let index = 0; index <= 1_000; index += 1) filter.passes(`${index}`);
    expect([filter.passes('1'), filter.passes('1000'), filter.passes('0')]).toEqual([false, false, true]);
  });
});
