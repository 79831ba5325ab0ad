/** How far back a chart goes, the shortest first. */
export const chartRanges = ['hour', 'day', 'month'] as const;
export type ChartRange = (typeof chartRanges)[number];

/** What somebody chooses from. */
export function rangeOptions(texts: Readonly<Record<ChartRange, string>>) {
  return chartRanges.map((value) => ({ value, text: texts[value] }));
}

/** What a bar of each counts together. */
export const bucketOf = { hour: 'minute', day: 'hour', month: 'day' } as const;

const hour = 3_600_000;
/** So that what was before can be seen too. */
const lengths: Readonly<Record<ChartRange, number>> = {
  hour: 0.9 * hour,
  day: 23 * hour,
  month: 30 * 24 * hour,
};

/** The shortest range that shows how something began. */
export function rangeSince(since: number, now: number): ChartRange {
  return chartRanges.find((range) => now - since < lengths[range]) ?? 'month';
}

interface CountedBucket {
  readonly startsAt: string;
  readonly errorsCount: number;
}

/** The shortest range in which anything happened, from the hours of the last day. */
export function rangeWithData(hours: readonly CountedBucket[]): ChartRange {
  const first = hours.find(({ errorsCount }) => errorsCount > 0);
  if (first === undefined) return 'month';
  // The hour before the present one may have begun longer ago than a chart of an hour goes back.
  return first === hours.at(-1) ? 'hour' : 'day';
}

/**
 * How many agents had a cause at the end of each bucket, from how many got it in each and how many have it now. If fewer have it now than got it, for some it has ended,
 * and when is not known: then it is how many had got it so far, and only the last one is how many have it now.
 * @param back the bucket in which it came back. All its errors had been dismissed before: who has it again is not counted twice. Negative: it did not, or earlier
 */
export function levelsOf(gained: readonly number[], now: number, back = -1): number[] {
  if (back > 0) return [...totals(gained.slice(0, back)), ...levelsOf(gained.slice(back), now)];
  const got = gained.reduce((total, count) => total + count, 0);
  if (got > now) return [...totals(gained).slice(0, -1), now];
  const before = now - got;
  return totals(gained).map((total) => before + total);
}

function totals(counts: readonly number[]): number[] {
  let total = 0;
  return counts.map((count) => {
    total += count;
    return total;
  });
}
