import { expect, it } from 'vitest';
import { horizontalBar, sparkline } from './sparkline.ts';

it.each([
  [[0, 1, 2, 3, 4, 5, 6, 7, 8], ' ▁▂▃▄▅▆▇█'],
  [[0, 1, 1_000], ' ▁█'],
  [[0, 0], '  '],
  [[], ''],
])('the bars of %j are "%s"', (counts, bars) => {
  expect(sparkline(counts)).toBe(bars);
});

it.each([
  [0, 8, ''],
  [1, 8, '▌'],
  [3, 8, '█▌'],
  [8, 8, '████'],
  [1, 1_000_000, '▏'],
  [0, 0, ''],
])('the bar of %d, if %d fill 4 characters, is "%s"', (count, largest, bar) => {
  expect(horizontalBar(count, largest, 4)).toBe(bar);
});
