import { choiceIn } from '../parts/read-search.ts';

const historyRanges = ['day', 'hour', 'month'] as const;
export type HistoryRange = (typeof historyRanges)[number];

/** What the chart shows, as it stands in the address. Absent: the last day. */
export interface OverviewSearch {
  readonly range?: HistoryRange;
}

export function readOverviewSearch(search: Readonly<Record<string, unknown>>): OverviewSearch {
  return choiceIn(search, 'range', historyRanges);
}
