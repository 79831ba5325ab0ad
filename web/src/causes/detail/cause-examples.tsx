import { Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorState } from '../../parts/error-state.tsx';
import { HostileText } from '../../parts/hostile-text.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { causesTexts } from '../../texts/causes.ts';
import { causeExamplesQuery } from '../cause-queries.ts';
import classes from './cause-page.module.css';

interface CauseExamplesProps {
  readonly projectID: string;
  readonly causeID: string;
}

/** Its newest errors, as the agents sent them: those that agents have now, if there are any. */
export function CauseExamples({ projectID, causeID }: CauseExamplesProps) {
  const { data, error, refetch } = useQuery(causeExamplesQuery(projectID, causeID));
  return (
    <section className={classes.texts}>
      <Title order={2}>{causesTexts.examples}</Title>
      {error !== null && data === undefined && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={64} mt="xs" />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {causesTexts.noExamples}
        </Text>
      )}
      <ul className={classes.examples}>
        {data?.map(({ id, error: text, occurrences, lastSeenAt, dismissedAt, current }) => (
          <li key={id}>
            <HostileText text={text} maxLength={400} />
            <Text size="xs" c="dimmed" component="div" className={classes.marks ?? ''}>
              {dismissedAt !== null ? (
                <StatusBadge tone="good" text={causesTexts.isDismissed} />
              ) : (
                <StatusBadge
                  tone={current ? 'bad' : 'quiet'}
                  text={current ? causesTexts.isOpen : causesTexts.states.earlier}
                />
              )}
              <span>{causesTexts.reportedTimes(occurrences)}</span>
              <RelativeTime at={lastSeenAt} />
            </Text>
          </li>
        ))}
      </ul>
    </section>
  );
}
