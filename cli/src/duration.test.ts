import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { readSeconds } from './duration.ts';
import { toTime } from './since.ts';

describe('a duration', () => {
  it.each([
    ['90s', 90],
    ['4m', 240],
    ['30min', 1_800],
    ['12h', 43_200],
    ['7d', 604_800],
    ['2w', 1_209_600],
    ['0s', 0],
  ])('%s is %i seconds, and lies so long back', (text, seconds) => {
    const now = Date.parse('2026-03-02T10:20:30.000Z');
    expect(readSeconds(text)).toBe(seconds);
    expect(toTime(text, now)).toBe(new Date(now - seconds * 1_000).toISOString());
  });

  it.each(['', '90', 's', '1.5h', '-1h', '9mo', '9minutes', '90 s', '1e3s', '1h30m'])(
    '"%s" is refused',
    (text) => {
      expect(() => readSeconds(text)).toThrow(InvalidArgumentError);
    },
  );
});
