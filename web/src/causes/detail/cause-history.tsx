import { Skeleton, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Chart } from '../../chart/chart.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { causesTexts } from '../../texts/causes.ts';
import { causeHistoryQuery } from '../cause-queries.ts';

interface CauseHistoryProps {
  readonly projectID: string;
  readonly causeID: string;
}

/** When its errors were created, of the last day. */
export function CauseHistory({ projectID, causeID }: CauseHistoryProps) {
  const { data, error, refetch } = useQuery(causeHistoryQuery(projectID, causeID));
  return (
    <section>
      <Title order={2} mb="xs">
        {causesTexts.history}
      </Title>
      {error !== null && data === undefined && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        <Skeleton height={200} />
      ) : (
        <Chart
          title={causesTexts.history}
          unit={causesTexts.historyUnit}
          times={data.buckets.map(({ startsAt }) => Date.parse(startsAt))}
          values={data.buckets.map(({ errorsCount }) => errorsCount)}
        />
      )}
    </section>
  );
}
