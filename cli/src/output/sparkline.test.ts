import { expect, it } from 'vitest';
import { sparkline } from './sparkline.ts';

it.each([
  [[0, 1, 2, 3, 4, 5, 6, 7, 8], ' ▁▂▃▄▅▆▇█'],
  [[0, 1, 1_000], ' ▁█'],
  [[0, 0], '  '],
  [[], ''],
])('the bars of %j are "%s"', (counts, bars) => {
  expect(sparkline(counts)).toBe(bars);
});
