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

interface CountedAgents {
  readonly agentsCount: number;
}

/**
 * How many agents had a cause at the end of each bucket, from how many got it in each and how many have it now. If fewer have it now than got it, for some it has ended,
 * and when is not known: then it is how many had got it so far, and only the last one is how many have it now.
 */
export function levelsOf(buckets: readonly CountedAgents[], now: number): number[] {
  const got = buckets.reduce((total, { agentsCount }) => total + agentsCount, 0);
  if (got > now) {
    let level = 0;
    return buckets.map(({ agentsCount }, place) => {
      level += agentsCount;
      return place === buckets.length - 1 ? now : level;
    });
  }
  let level = now;
  return buckets
    .toReversed()
    .map(({ agentsCount }) => {
      const here = level;
      level -= agentsCount;
      return here;
    })
    .reverse();
}
