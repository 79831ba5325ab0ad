import { Button, Skeleton } from '@mantine/core';
import type { AgentErrorGroup } from '@muster/client';
import { usePrefetchInfiniteQuery, usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { DismissDialog } from '../../dismissals/dismiss-dialog.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { HostileText } from '../../parts/hostile-text.tsx';
import { Page } from '../../parts/page.tsx';
import { showDone, showError } from '../../parts/toasts.tsx';
import { useMay } from '../../session/use-may.ts';
import { causesTexts } from '../../texts/causes.ts';
import { causeAgentsQuery, causeExamplesQuery, causeHistoryQuery, causeQuery } from '../cause-queries.ts';
import { CauseAgents } from './cause-agents.tsx';
import { CauseExamples } from './cause-examples.tsx';
import { CauseExplanation } from './cause-explanation.tsx';
import { CauseHistory } from './cause-history.tsx';
import classes from './cause-page.module.css';
import { CauseSentence } from './cause-sentence.tsx';
import { MuteDialog } from './mute-dialog.tsx';
import { useMuting } from './use-muting.ts';

const route = getRouteApi('/projects/$projectID/causes/$causeID');

/** One cause: how far it has spread and since when, what it means, what to do, and where it is. */
export function CausePage() {
  const { projectID, causeID } = route.useParams();
  const { data, error, refetch } = useQuery(causeQuery(projectID, causeID));
  const { isPending: awaitsExamples } = useQuery(causeExamplesQuery(projectID, causeID));
  // Shown together, because each of them would push down what is below it.
  const cause = awaitsExamples ? undefined : data;
  usePrefetchQuery(causeHistoryQuery(projectID, causeID));
  usePrefetchInfiniteQuery(causeAgentsQuery(projectID, causeID));
  return (
    <Page
      title={cause?.pattern.slice(0, 80) ?? causesTexts.cause}
      heading={cause === undefined ? causesTexts.cause : <HostileText text={cause.pattern} maxLength={400} />}
      description={
        cause === undefined ? (
          <Skeleton height={20} width="24rem" />
        ) : (
          <CauseSentence projectID={projectID} cause={cause} />
        )
      }
      parent={
        <Link to="/projects/$projectID/causes" params={{ projectID }}>
          {causesTexts.title}
        </Link>
      }
      actions={cause !== undefined && <CauseActions projectID={projectID} cause={cause} />}
    >
      {error !== null && cause === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : cause === undefined ? (
        <Skeleton height={480} />
      ) : (
        <div className={classes.columns}>
          <div className={classes.column}>
            <CauseHistory projectID={projectID} causeID={causeID} />
            <CauseAgents projectID={projectID} causeID={causeID} />
          </div>
          <div className={classes.first}>
            <CauseExplanation cause={cause} />
            <CauseExamples projectID={projectID} causeID={causeID} />
          </div>
        </div>
      )}
    </Page>
  );
}

interface CauseActionsProps {
  readonly projectID: string;
  readonly cause: AgentErrorGroup;
}

function CauseActions({ projectID, cause }: CauseActionsProps) {
  const [isDismissing, setIsDismissing] = useState(false);
  const [isMuting, setIsMuting] = useState(false);
  const { mute, unmute } = useMuting(projectID, cause.id);
  if (!useMay(projectID)('update:agent_error')) return null;
  const { current, superseded } = cause.errorsByState;
  return (
    <>
      {cause.mutedUntil === null ? (
        <Button variant="default" onClick={() => setIsMuting(true)}>
          {causesTexts.mute}
        </Button>
      ) : (
        <Button
          variant="default"
          onClick={() => void unmute().then(() => showDone(causesTexts.unmuted), showError)}
        >
          {causesTexts.unmute}
        </Button>
      )}
      <Button onClick={() => setIsDismissing(true)} disabled={current + superseded === 0}>
        {causesTexts.dismissSelected}
      </Button>
      <MuteDialog isOpen={isMuting} onMute={mute} onClose={() => setIsMuting(false)} />
      <DismissDialog
        projectID={projectID}
        filter={isDismissing ? { groupID: cause.id } : undefined}
        onClose={() => setIsDismissing(false)}
        onDone={() => undefined}
      />
    </>
  );
}
