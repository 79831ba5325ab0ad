import type { AgentErrorGroup } from '@muster/client';
import { trendBucketSeconds, trendBuckets } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { levelsOf } from '../chart/chart-range.ts';
import { TrendLine } from '../chart/trend-line.tsx';
import { trendsQuery } from './cause-queries.ts';

interface CauseTrendProps {
  readonly projectID: string;
  readonly cause: Pick<AgentErrorGroup, 'id' | 'agentsCount' | 'storedAgentsCount' | 'isNew' | 'regressedAt'>;
}

const none = Array.from({ length: trendBuckets }, () => 0);

/** On how many agents a cause was in the last hour. All rows of a list share one request. */
export function CauseTrend({ projectID, cause }: CauseTrendProps) {
  const { data: trends } = useQuery(trendsQuery(projectID));
  const values = levelsOf({
    gained: trends?.get(cause.id) ?? none,
    now: cause.agentsCount,
    stored: cause.storedAgentsCount,
    back: placeOf(cause.regressedAt),
  });
  const isRising = (values[0] ?? 0) < (values.at(-1) ?? 0);
  // Before they are known, a flat line would say that it was always there.
  return (
    trends && <TrendLine values={values} isBad={cause.isNew || cause.regressedAt !== null || isRising} />
  );
}

/** The bucket in which it was. Negative: before all of them. */
function placeOf(at: string | null): number {
  const bucketOf = (time: number) => Math.floor(time / (trendBucketSeconds * 1_000));
  return at === null ? -1 : trendBuckets - 1 - bucketOf(Date.now()) + bucketOf(Date.parse(at));
}
