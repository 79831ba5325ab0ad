import type { ChartProps } from './chart-props.ts';

/** Seconds and counts. A count of `null` draws no bar. */
export type PlotData = [times: number[], values: (number | null)[]];

/**
 * Each bar begins at its time and ends at the next one. A last point without a bar says where the newest bar ends: without it, the axis would end
 * where that bar begins, and nothing of the current hour would be seen.
 */
export function plotData({ times, values }: Pick<ChartProps, 'times' | 'values'>): PlotData {
  const seconds = times.map((time) => time / 1_000);
  const last = seconds.at(-1);
  const beforeLast = seconds.at(-2);
  if (last === undefined || beforeLast === undefined) return [seconds, [...values]];
  return [
    [...seconds, last + (last - beforeLast)],
    [...values, null],
  ];
}

/** The number of the bar that stands at a time in seconds. Undefined: none does. */
export function barAt(times: ArrayLike<number>, time: number): number | undefined {
  const next = Array.from(times).findIndex((start) => start > time);
  return next <= 0 ? undefined : next - 1;
}
