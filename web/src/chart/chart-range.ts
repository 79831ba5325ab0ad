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

interface Levels {
  /** How many agents got the cause in each bucket. An agent that got it with another text once more is counted again. */
  readonly gained: readonly number[];
  /** How many agents have it now. */
  readonly now: number;
  /** How many agents have an error of it that is stored, whatever its state: it was never on more. */
  readonly stored: number;
  /** The bucket in which it came back. All its errors had been dismissed before: who has it again is not counted twice. Negative: it did not, or earlier. */
  readonly back?: number;
}

/**
 * How many agents had a cause at the end of each bucket, from how many got it in each and how many have it now. If it has ended for some, and when is not known, it is how
 * many had got it so far, and only the last one is how many have it now. Who had it dismissed and got it again is counted in both buckets, but never beyond `stored`.
 */
export function levelsOf({ gained, now, stored, back = -1 }: Levels): number[] {
  if (back > 0)
    return [
      ...totals(gained.slice(0, back)).map((total) => Math.min(total, stored)),
      ...levelsOf({ gained: gained.slice(back), now, stored }),
    ];
  const got = gained.reduce((total, count) => total + count, 0);
  if (got > now)
    return [
      ...totals(gained)
        .slice(0, -1)
        .map((total) => Math.min(total, stored)),
      now,
    ];
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
