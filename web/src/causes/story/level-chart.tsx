import { Skeleton } from '@mantine/core';
import type { AgentErrorGroup } from '@muster/client';
import { type Change, visibleText } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { Chart } from '../../chart/chart.tsx';
import { type ChartRange, levelsOf } from '../../chart/chart-range.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { causesTexts } from '../../texts/causes.ts';
import { causeHistoryQuery } from '../cause-queries.ts';

interface LevelChartProps {
  readonly projectID: string;
  readonly cause: AgentErrorGroup;
  readonly change: Change | undefined;
  readonly range: ChartRange;
  readonly height: number;
  /** True: without most of the time in which nobody had it. */
  readonly isShort?: boolean;
}

/** What is shown of the time before, in buckets. */
const bucketsBefore = 9;

/** On how many agents a cause was, with the change before it. */
export function LevelChart({ projectID, cause, change, range, height, isShort = false }: LevelChartProps) {
  const { data, error, refetch } = useQuery(causeHistoryQuery(projectID, cause.id, range));
  if (error !== null && data === undefined)
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={height + 44} />;
  const starts = data.buckets.map(({ startsAt }) => Date.parse(startsAt));
  const [start = 0, next = 0] = starts;
  // A level is reached at the end of its bucket: what made it rise was before.
  const times = starts.map((time) => time + next - start);
  const values = levelsOf({
    gained: data.buckets.map(({ agentsCount }) => agentsCount),
    now: cause.agentsCount,
    stored: cause.storedAgentsCount,
    back: data.buckets.findLastIndex(({ startsAt }) => startsAt <= (cause.regressedAt ?? '')),
  });
  const changedAt = Date.parse(change?.configuredAt ?? '');
  const begin = values.findIndex((value, index) => value > 0 || (times[index] ?? 0) > changedAt);
  const first = isShort ? Math.max(begin - bucketsBefore, 0) : 0;
  return (
    <Chart
      kind="level"
      title={causesTexts.agentsWithCause}
      unit={causesTexts.agentsUnit}
      height={height}
      times={times.slice(first)}
      values={values.slice(first)}
      marks={
        change === undefined
          ? []
          : [
              {
                at: changedAt,
                // Where its bucket begins, so that it stands before what it has changed.
                drawnAt: starts.findLast((time) => time <= changedAt) ?? changedAt,
                text: causesTexts.changedAt(change.name, change.agentName),
                name: visibleText(change.name),
              },
            ]
      }
    />
  );
}
