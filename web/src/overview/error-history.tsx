import { Skeleton, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Chart } from '../chart/chart.tsx';
import { type ChartRange, rangeOptions } from '../chart/chart-range.ts';
import { Choice } from '../parts/choice.tsx';
import { ErrorState } from '../parts/error-state.tsx';
import { overviewTexts } from '../texts/overview.ts';
import classes from './overview-page.module.css';
import { historyQuery } from './overview-queries.ts';
import { readOverviewSearch } from './overview-search.ts';

interface ErrorHistoryProps {
  readonly projectID: string;
  readonly range: ChartRange;
}

/** New errors over time, with the configurations that agents got meanwhile. */
export function ErrorHistory({ projectID, range }: ErrorHistoryProps) {
  const { data, error, refetch } = useQuery(historyQuery(projectID, range));
  const navigate = useNavigate({ from: '/projects/$projectID' });
  return (
    <section>
      <div className={classes.heading}>
        <Title order={2}>{overviewTexts.newErrors}</Title>
        <Choice
          label={overviewTexts.range}
          options={rangeOptions(overviewTexts.ranges)}
          value={range}
          onChange={(value) =>
            void navigate({
              to: '.',
              search: readOverviewSearch({ range: value }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      </div>
      {error !== null && data === undefined && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={180} />}
      {data !== undefined && (
        <Chart
          title={overviewTexts.newErrors}
          unit={overviewTexts.errors}
          height={150}
          times={data.buckets.map(({ startsAt }) => Date.parse(startsAt))}
          values={data.buckets.map(({ errorsCount }) => errorsCount)}
          marks={data.configurations.map(({ firstChangedAt, agentName, agentsCount }) => ({
            at: Date.parse(firstChangedAt),
            text: overviewTexts.configuration(agentsCount, agentName),
          }))}
        />
      )}
    </section>
  );
}
