import { describe, expect, it } from 'vitest';
import { barAt, plotData } from './plot-data.ts';

describe('the data of a chart', () => {
  it('reach to the end of the newest bar, so that it is drawn too', () => {
    expect(plotData({ times: [0, 60_000, 120_000], values: [1, 0, 7] })).toEqual([
      [0, 60, 120, 180],
      [1, 0, 7, null],
    ]);
  });

  it('go on until there with the newest value of a flow', () => {
    expect(plotData({ times: [0, 60_000, 120_000], values: [1, 0, 7], kind: 'flow' })).toEqual([
      [0, 60, 120, 180],
      [1, 0, 7, 7],
    ]);
  });

  it('have no such end if the length of a bar is not known', () => {
    expect(plotData({ times: [], values: [] })).toEqual([[], []]);
    expect(plotData({ times: [60_000], values: [3] })).toEqual([[60], [3]]);
  });

  it('tell which bar stands at a time: the one that has begun, not the nearest beginning', () => {
    const [starts] = plotData({ times: [0, 60_000, 120_000], values: [1, 0, 7] });
    expect([-1, 0, 59, 60, 119, 120, 179, 180].map((time) => barAt(starts, time))).toEqual([
      undefined,
      0,
      0,
      1,
      1,
      2,
      2,
      undefined,
    ]);
  });
});
