import { expect, it } from 'vitest';
import { formatDuration } from './format-duration.ts';

it.each([
  [0, '0 s'],
  [119, '119 s'],
  [120, '2 min'],
  [7_199, '119 min'],
  [7_200, '2 h'],
  [172_799, '47 h'],
  [172_800, '2 days'],
])('%i seconds are %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});
