import { meantSeconds } from '@muster/http/fleets/meant-seconds';
import { describe, expect, it } from 'vitest';
import { nextSeconds } from './publication-clock.ts';

/** The dates of so many publications, a millisecond apart, the newest first. */
function publish(count: number, startsAt = 1_000_000_000_000): number[] {
  const recent: number[] = [];
  for (let index = 0; index < count; index += 1) recent.unshift(nextSeconds(startsAt + index, recent));
  return recent;
}

describe('the clock of a project', () => {
  it('gives two publications within a second different seconds', () => {
    expect(publish(3)).toEqual([1_000_000_002, 1_000_000_001, 1_000_000_000]);
  });

  it('goes on after a clock that was set back', () => {
    expect(nextSeconds(1_000, [5_000])).toBe(5_001);
  });

  it('never repeats a date modulo 15 minutes among the newest 300, and stays at most 15 minutes ahead', () => {
    const dates = publish(2_000);
    for (let index = 0; index + 300 <= dates.length; index += 100) {
      const newest = dates.slice(index, index + 300);
      expect(new Set(newest.map((seconds) => seconds % 900)).size).toBe(300);
    }
    // One publication a second, for an hour.
    let recent: number[] = [];
    for (let second = 0; second < 3_600; second += 1) {
      recent = [nextSeconds((2_000_000_000 + second) * 1_000, recent), ...recent].slice(0, 300);
      expect((recent[0] ?? 0) - 2_000_000_000 - second).toBeLessThan(900);
    }
  });
});

describe('the date that an agent means', () => {
  const recent = publish(300);
  const zones = [-12, -5, -3.5, 0, 5.75, 9, 14].map((hours) => hours * 3_600);

  it('is known in every zone', () => {
    for (const offset of zones)
      for (const seconds of recent) expect(meantSeconds(seconds - offset, recent)).toBe(seconds);
  });

  it('is none if it is of no publication', () => {
    expect(meantSeconds(Math.max(...recent) + 1, recent)).toBeUndefined();
    expect(meantSeconds((recent[0] ?? 0) + 900 * 60, recent)).toBeUndefined();
    expect(meantSeconds(-1, recent)).toBeUndefined();
    expect(meantSeconds(Number.NaN, recent)).toBeUndefined();
  });
});
