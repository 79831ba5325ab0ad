import type { ChartProps } from './chart-props.ts';

/** Seconds and counts. A count of `null` draws no bar. */
export type PlotData = [times: number[], values: (number | null)[]];

type Plotted = Pick<ChartProps, 'times' | 'values'> & { readonly kind?: ChartProps['kind'] | undefined };

/**
 * Each bar begins at its time and ends at the next one. A last point without a bar says where the newest bar ends: without it, the axis would end
 * where that bar begins, and nothing of the current hour would be seen.
 */
export function plotData({ times, values, kind }: Plotted): PlotData {
  const seconds = times.map((time) => time / 1_000);
  const last = seconds.at(-1);
  const beforeLast = seconds.at(-2);
  if (last === undefined || beforeLast === undefined) return [seconds, [...values]];
  return [
    [...seconds, last + (last - beforeLast)],
    // Steps have no width of their own: the newest one goes on until there.
    [...values, kind === 'flow' ? (values.at(-1) ?? null) : null],
  ];
}

/** The number of the bar that stands at a time in seconds. Undefined: none does. */
export function barAt(times: ArrayLike<number>, time: number): number | undefined {
  const next = Array.from(times).findIndex((start) => start > time);
  return next <= 0 ? undefined : next - 1;
}
