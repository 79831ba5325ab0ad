import { Text, Title } from '@mantine/core';
import type { ProjectSummary } from '@muster/client';
import type { ChartRange } from '../chart/chart-range.ts';
import { StatusBadge } from '../parts/status-badge.tsx';
import { overviewTexts } from '../texts/overview.ts';
import classes from './calm-head.module.css';
import { ErrorHistory } from './error-history.tsx';
import { SinceLastVisit } from './since-last-visit.tsx';

interface CalmHeadProps {
  readonly projectID: string;
  readonly summary: ProjectSummary;
  readonly range: ChartRange;
}

/** How the agents are, in a sentence, when nothing new is on many of them. */
export function CalmHead({ projectID, summary, range }: CalmHeadProps) {
  const { agentsByStatus: statuses, agentsCount, openGroupsCount } = summary;
  const isCalm = statuses.unhealthy + statuses.unknown + statuses.offline === 0;
  // A cause may be open on agents that have stopped.
  const isFine = isCalm && openGroupsCount === 0;
  return (
    <section className={classes.card} aria-label={overviewTexts.goingOn}>
      <div className={classes.head}>
        {/* What the only agent has is on all of them. */}
        {(isFine || agentsCount > 1) && (
          <p className={classes.status} data-is-calm={isFine}>
            <StatusBadge
              tone={isFine ? 'good' : statuses.unhealthy > 0 ? 'bad' : 'warning'}
              text={isFine ? overviewTexts.noTrouble : overviewTexts.nothingNew}
            />
          </p>
        )}
        <Title order={1} tabIndex={-1}>
          {overviewTexts.calm(statuses, agentsCount)}
        </Title>
        <Text size="sm" c="dimmed" component="div">
          {isCalm && `${overviewTexts.calmRest(openGroupsCount, statuses.stopped)} `}
          <SinceLastVisit projectID={projectID} />
        </Text>
      </div>
      <ErrorHistory projectID={projectID} range={range} />
    </section>
  );
}
