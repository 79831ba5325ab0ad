import { type ChartRange, chartRanges } from '../chart/chart-range.ts';
import { choiceIn } from '../parts/read-search.ts';

/** `fitting`: the shortest one that shows what happened. It is the default, and does not stand in the address. */
const shownRanges = ['fitting', ...chartRanges] as const;

/** What the chart shows, as it stands in the address. */
export interface OverviewSearch {
  readonly range?: 'fitting' | ChartRange;
}

export function readOverviewSearch(search: Readonly<Record<string, unknown>>): OverviewSearch {
  return choiceIn(search, 'range', shownRanges);
}
