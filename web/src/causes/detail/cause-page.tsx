import { Skeleton } from '@mantine/core';
import type { AgentErrorGroup } from '@muster/client';
import { predicateOf, titleOfCause } from '@muster/contract';
import { usePrefetchInfiniteQuery, usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { historyQuery, summaryQuery } from '../../overview/overview-queries.ts';
import { formatShare } from '../../parts/amount.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { formatDuration } from '../../parts/format-duration.ts';
import { HostileText } from '../../parts/hostile-text.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { useMay } from '../../session/use-may.ts';
import { causesTexts } from '../../texts/causes.ts';
import { CauseMarks } from '../cause-marks.tsx';
import { causeAgentsQuery, causeExamplesQuery, causeOriginQuery, causeQuery } from '../cause-queries.ts';
import { CauseNote } from '../notes/cause-note.tsx';
import { CauseActions } from '../story/cause-actions.tsx';
import { SinceLine } from '../story/since-line.tsx';
import { SpreadSentence } from '../story/spread-sentence.tsx';
import { useStory } from '../story/use-story.ts';
import { CauseAgents } from './cause-agents.tsx';
import { CauseExamples } from './cause-examples.tsx';
import classes from './cause-page.module.css';
import { CauseTrendSection } from './cause-trend-section.tsx';
import { CausedBy } from './caused-by.tsx';
import { WhatChanged } from './what-changed.tsx';
import { WhatToDo } from './what-to-do.tsx';
import { WhoElseChanged } from './who-else-changed.tsx';
import { WhoHasIt } from './who-has-it.tsx';

const route = getRouteApi('/projects/$projectID/causes/$causeID');

/** One cause: who has it and since which change, what to do, and how it spread. */
export function CausePage() {
  const { projectID, causeID } = route.useParams();
  const may = useMay(projectID);
  const { data: cause, error, refetch } = useQuery(causeQuery(projectID, causeID));
  const { isPending: awaitsExamples } = useQuery(causeExamplesQuery(projectID, causeID));
  usePrefetchQuery(causeOriginQuery(projectID, causeID));
  usePrefetchInfiniteQuery(causeAgentsQuery(projectID, causeID));
  const mayReadProject = may('read:project');
  const { isPending: awaitsHistory } = useQuery({
    ...historyQuery(projectID, 'day'),
    enabled: mayReadProject,
  });
  if (cause !== undefined && !awaitsExamples && (!mayReadProject || !awaitsHistory))
    return <ShownCause key={cause.id} projectID={projectID} cause={cause} />;
  return (
    <Page title={causesTexts.cause} parent={<ToCauses projectID={projectID} />}>
      {error !== null && cause === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height={480} />
      )}
    </Page>
  );
}

interface ShownCauseProps {
  readonly projectID: string;
  readonly cause: AgentErrorGroup;
}

function ShownCause({ projectID, cause }: ShownCauseProps) {
  const may = useMay(projectID);
  const { origin, change, began, isPending } = useStory(projectID, cause);
  const { mutedUntil, muteReason, agentsCount, regressedAt } = cause;
  const title = titleOfCause(cause);
  const headline =
    agentsCount === 0
      ? title === undefined
        ? causesTexts.nobodyUnnamed
        : causesTexts.nobody(title)
      : causesTexts.headline(agentsCount, undefined, predicateOf(cause, agentsCount));
  return (
    <Page
      title={title ?? cause.pattern.slice(0, 80)}
      heading={headline}
      marks={<CauseMarks cause={cause} />}
      parent={<ToCauses projectID={projectID} name={title} />}
      description={
        <>
          <div className={classes.patternLine}>
            <HostileText text={cause.pattern} maxLength={400} />
          </div>
          <p className={classes.lede}>
            <strong className={classes.since}>
              {agentsCount === 0 ? (
                <EndLine cause={cause} />
              ) : (
                <SinceLine cause={cause} change={regressedAt === null ? began : change} />
              )}
              .
            </strong>{' '}
            {agentsCount > 0 && may('read:project') && <Spread projectID={projectID} cause={cause} />}{' '}
            {origin !== undefined && (
              <SpreadSentence projectID={projectID} origin={origin} change={change} cause={cause} />
            )}
          </p>
          <CausedBy projectID={projectID} cause={cause} />
          {mutedUntil !== null && (
            <p className={classes.lede}>
              {causesTexts.mutedUntil} <RelativeTime at={mutedUntil} />{' '}
              {causesTexts.muteEnds(cause.muteEndsWithConfiguration, cause.muteEndsAtAgentsCount)}:{' '}
              <bdi>{muteReason}</bdi>
            </p>
          )}
        </>
      }
      actions={<CauseActions projectID={projectID} cause={cause} />}
    >
      {isPending ? (
        <Skeleton height={480} />
      ) : (
        <div className={classes.columns}>
          <div className={classes.column}>
            <WhatChanged projectID={projectID} cause={cause} change={change} began={began} />
            <CauseTrendSection projectID={projectID} cause={cause} change={began} />
            <CauseAgents projectID={projectID} causeID={cause.id} agentsCount={agentsCount} />
          </div>
          <div className={classes.side}>
            {agentsCount > 0 && (
              <WhatToDo projectID={projectID} cause={cause} change={change} began={began} />
            )}
            {origin !== undefined && origin.configuredCount > 0 && change !== undefined && (
              <WhoHasIt origin={origin} change={change} />
            )}
            {may('read:project') && <WhoElseChanged projectID={projectID} cause={cause} change={began} />}
            <CauseNote cause={cause} />
            <CauseExamples projectID={projectID} causeID={cause.id} />
          </div>
        </div>
      )}
    </Page>
  );
}

/** Of a cause that no agent has any more. */
function EndLine({ cause: { firstSeenAt, regressedAt, lastSeenAt } }: Pick<ShownCauseProps, 'cause'>) {
  const began = regressedAt ?? firstSeenAt;
  return (
    <>
      {causesTexts.lastReportedAt} <Moment at={lastSeenAt} />,{' '}
      {causesTexts.afterItBegan(formatDuration(secondsBetween(began, lastSeenAt)), regressedAt !== null)}
    </>
  );
}

function secondsBetween(began: string, ended: string): number {
  return Math.max(0, Math.floor((Date.parse(ended) - Date.parse(began)) / 1_000));
}

/** Such as "23% of 5,000 agents." */
function Spread({ projectID, cause }: ShownCauseProps) {
  const { data: summary } = useQuery(summaryQuery(projectID));
  if (summary === undefined) return null;
  return causesTexts.ofAll(formatShare(cause.agentsShare), summary.agentsCount);
}

function ToCauses({ projectID, name }: { readonly projectID: string; readonly name?: string | undefined }) {
  return (
    <>
      <Link to="/projects/$projectID/causes" params={{ projectID }}>
        {causesTexts.title}
      </Link>
      {name !== undefined && <span>› {name}</span>}
    </>
  );
}
