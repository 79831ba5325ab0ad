import { Skeleton } from '@mantine/core';
import type { AgentErrorGroup, ProjectSummary } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { trendsQuery } from '../causes/cause-queries.ts';
import { type ChartRange, rangeWithData } from '../chart/chart-range.ts';
import { ErrorState } from '../parts/error-state.tsx';
import { Page } from '../parts/page.tsx';
import { whenReachable } from '../service/when-reachable.ts';
import { useMay } from '../session/use-may.ts';
import { overviewTexts } from '../texts/overview.ts';
import { AgentsByStatus } from './agents-by-status.tsx';
import { Attention } from './attention.tsx';
import { CalmHead } from './calm-head.tsx';
import { ComingUp } from './coming-up.tsx';
import classes from './overview-page.module.css';
import {
  expiringTokensQuery,
  failingChannelsQuery,
  historyQuery,
  summaryQuery,
  widestCausesQuery,
} from './overview-queries.ts';
import { readOverviewSearch } from './overview-search.ts';
import { countUnread, pickStory } from './pick-story.ts';
import { WhatHappened } from './what-happened.tsx';

const route = getRouteApi('/projects/$projectID/');

const FirstAgent = lazy(
  whenReachable(async () => ({ default: (await import('./first-agent.tsx')).FirstAgent })),
);

// On a calm day, nobody needs it.
const StoryCard = lazy(
  whenReachable(async () => ({ default: (await import('./story-card.tsx')).StoryCard })),
);

/** What is going on in a project, on one screen. */
export function OverviewPage() {
  const { projectID } = route.useParams();
  const { range } = route.useSearch({ select: readOverviewSearch });
  const may = useMay(projectID);
  const maySeeErrors = may('read:agent_error');
  const { data: summary, error, refetch } = useQuery(summaryQuery(projectID));
  const { data: causes, error: causesError } = useQuery({
    ...widestCausesQuery(projectID),
    enabled: maySeeErrors,
  });
  const { data: history, error: historyError } = useQuery(historyQuery(projectID, 'day'));
  // They are read with the rest, although what shows them comes later.
  useQuery({ ...trendsQuery(projectID), enabled: maySeeErrors });
  useQuery({ ...expiringTokensQuery(projectID), enabled: may('read:token') });
  useQuery({ ...failingChannelsQuery(projectID), enabled: may('read:webhook') });
  return (
    <Page title={overviewTexts.title} isBare>
      {error !== null && summary === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : summary === undefined ||
        (history === undefined && historyError === null) ||
        (maySeeErrors && causes === undefined && causesError === null) ? (
        <Waiting />
      ) : summary.agentsCount === 0 ? (
        <Suspense fallback={<Waiting />}>
          <FirstAgent projectID={projectID} />
        </Suspense>
      ) : (
        <Suspense fallback={<Waiting />}>
          <Shown
            projectID={projectID}
            summary={summary}
            causes={causes}
            range={range === undefined || range === 'fitting' ? rangeWithData(history?.buckets ?? []) : range}
          />
        </Suspense>
      )}
    </Page>
  );
}

/** Instead of the whole screen, because the story would push down what is below it. */
function Waiting() {
  return (
    <>
      <h1 className="visually-hidden" tabIndex={-1}>
        {overviewTexts.title}
      </h1>
      <Skeleton height={480} />
    </>
  );
}

interface ShownProps {
  readonly projectID: string;
  readonly summary: ProjectSummary;
  /** Undefined: the user may not read errors, or they could not be read. */
  readonly causes: readonly AgentErrorGroup[] | undefined;
  readonly range: ChartRange;
}

function Shown({ projectID, summary, causes, range }: ShownProps) {
  const picked = causes === undefined ? undefined : pickStory(causes, Date.now());
  const story = picked?.story;
  return (
    <>
      {story === undefined ? (
        <CalmHead projectID={projectID} summary={summary} range={range} />
      ) : (
        <StoryCard key={story.id} projectID={projectID} cause={story} />
      )}
      <AgentsByStatus projectID={projectID} summary={summary} />
      <div className={classes.columns}>
        <Attention
          projectID={projectID}
          summary={summary}
          causes={picked}
          unreadCount={countUnread(causes?.length ?? 0, summary.openGroupsCount)}
        />
        <div>
          <WhatHappened projectID={projectID} causes={causes ?? []} />
          <ComingUp projectID={projectID} />
        </div>
      </div>
    </>
  );
}
