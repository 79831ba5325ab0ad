import { Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatShare } from '../parts/amount.ts';
import { ErrorState } from '../parts/error-state.tsx';
import { HostileText } from '../parts/hostile-text.tsx';
import { overviewTexts } from '../texts/overview.ts';
import classes from './overview-page.module.css';
import { loudestCausesQuery } from './overview-queries.ts';

/** The causes on the most agents, each with its share of the fleet. */
export function LoudestCauses({ projectID }: { readonly projectID: string }) {
  const { data, error, refetch } = useQuery(loudestCausesQuery(projectID));
  return (
    <section>
      <div className={classes.heading}>
        <Title order={2}>{overviewTexts.loudest}</Title>
        <Link to="/projects/$projectID/causes" params={{ projectID }} search={{ sort: 'agents' }}>
          {overviewTexts.allCauses}
        </Link>
      </div>
      {error !== null && data === undefined && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={240} />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {overviewTexts.noCauses}
        </Text>
      )}
      <ol className={classes.causes}>
        {data?.map(({ id, pattern, agentsCount, agentsShare }) => (
          <li key={id}>
            <Link to="/projects/$projectID/causes/$causeID" params={{ projectID, causeID: id }}>
              <HostileText text={pattern} isLine />
            </Link>
            <span className={`${classes.count} number`}>
              {overviewTexts.agents(agentsCount)} · {formatShare(agentsShare)}
            </span>
            <div className={classes.bar}>
              <div style={{ width: `${agentsShare * 100}%` }} />
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
