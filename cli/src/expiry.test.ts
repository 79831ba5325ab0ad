import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { readExpiry, toExpiresAt } from './expiry.ts';

const now = Date.parse('2026-03-02T10:20:30.456Z');

describe('an expiry', () => {
  it.each([
    ['90d', '2026-05-31T10:20:30.456Z'],
    ['12h', '2026-03-02T22:20:30.456Z'],
    ['30min', '2026-03-02T10:50:30.456Z'],
    ['30m', '2026-03-02T10:50:30.456Z'],
    ['90s', '2026-03-02T10:22:00.456Z'],
    ['2w', '2026-03-16T10:20:30.456Z'],
    ['2027-03-31', '2027-03-31T00:00:00.000Z'],
    ['2027-03-31T18:00:00+02:00', '2027-03-31T16:00:00.000Z'],
    ['2027-03-31T18:00Z', '2027-03-31T18:00:00.000Z'],
    ['never', null],
  ])('%s is %s', (text, time) => {
    expect(toExpiresAt(readExpiry(text), now)).toBe(time);
  });

  it.each([
    '',
    '90',
    'd',
    '0d',
    '-1d',
    '1.5h',
    '9mo',
    '2027-02-31',
    '2027-03-31T18:00',
    'tomorrow',
    '1e3d',
    '90 d',
  ])('"%s" is refused', (text) => {
    expect(() => readExpiry(text)).toThrow(InvalidArgumentError);
  });
});
