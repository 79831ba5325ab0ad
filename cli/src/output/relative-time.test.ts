import { expect, it } from 'vitest';
import { ageOf, relativeTime } from './relative-time.ts';

const now = Date.parse('2026-03-02T10:20:30.456Z');
const second = 1_000;

it.each([
  [0, 'now'],
  [-999, 'now'],
  [-second, '1 s ago'],
  [-59 * second, '59 s ago'],
  [-90 * second, '1 min ago'],
  [-2 * 3_600 * second, '2 h ago'],
  [-400 * 86_400 * second, '1 y ago'],
  [3 * 86_400 * second, 'in 3 d'],
])('%i milliseconds from now is "%s"', (distance, text) => {
  expect(relativeTime(new Date(now + distance).toISOString(), now)).toBe(text);
});

it.each([
  [5_000, 'now'],
  [-999, 'now'],
  [-90 * second, '1 min'],
  [-2 * 3_600 * second, '2 h'],
  [-400 * 86_400 * second, '1 y'],
])('the age of %i milliseconds from now is "%s"', (distance, text) => {
  expect(ageOf(new Date(now + distance).toISOString(), now)).toBe(text);
});

it('does not change a text that is not a time', () => {
  expect(relativeTime('soon', now)).toBe('soon');
  expect(ageOf('soon', now)).toBe('soon');
});
