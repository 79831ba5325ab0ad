import type { AgentErrorGroup } from '@muster/client';
import { trendBuckets } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { levelsOf } from '../chart/chart-range.ts';
import { TrendLine } from '../chart/trend-line.tsx';
import { trendsQuery } from './cause-queries.ts';

interface CauseTrendProps {
  readonly projectID: string;
  readonly cause: Pick<AgentErrorGroup, 'id' | 'agentsCount' | 'isNew' | 'regressedAt'>;
}

const none = Array.from({ length: trendBuckets }, () => 0);

/** On how many agents a cause was in the last hour. All rows of a list share one request. */
export function CauseTrend({ projectID, cause }: CauseTrendProps) {
  const { data: trends } = useQuery(trendsQuery(projectID));
  const counts = trends?.get(cause.id) ?? none;
  const values = levelsOf(
    counts.map((agentsCount) => ({ agentsCount })),
    cause.agentsCount,
  );
  const isRising = (values[0] ?? 0) < (values.at(-1) ?? 0);
  return <TrendLine values={values} isBad={cause.isNew || cause.regressedAt !== null || isRising} />;
}
