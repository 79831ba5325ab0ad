import { Skeleton, Title } from '@mantine/core';
import type { Rollout, RolloutAgent } from '@muster/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { VersionDiff } from '../fleets/detail/version-diff.tsx';
import { fleetQuery } from '../fleets/fleet-queries.ts';
import { ErrorState } from '../parts/error-state.tsx';
import { formatDuration } from '../parts/format-duration.ts';
import { HostileText } from '../parts/hostile-text.tsx';
import { MarkedText } from '../parts/marked-text.tsx';
import { Moment } from '../parts/moment.tsx';
import { NameText } from '../parts/name-text.tsx';
import { Page } from '../parts/page.tsx';
import { StatusBadge, type StatusTone } from '../parts/status-badge.tsx';
import type { Column } from '../table/column.ts';
import { DataTable } from '../table/data-table.tsx';
import { useListRows } from '../table/use-list-rows.ts';
import { rolloutsTexts } from '../texts/rollouts.ts';
import { RolloutActions } from './rollout-actions.tsx';
import classes from './rollout-page.module.css';
import { stageStateOf, toneOfStage, toneOfState } from './rollout-progress.ts';
import { rolloutAgentsQuery, rolloutQuery } from './rollout-queries.ts';
import { verdictOf } from './rollout-verdict.ts';

const route = getRouteApi('/projects/$projectID/fleets/$fleetID/rollouts/$rolloutID');

/** One rollout: why it goes on or stopped, its stages, and how far its agents are. */
export function RolloutPage() {
  const { projectID, rolloutID } = route.useParams();
  const { data: rollout, error, refetch } = useQuery(rolloutQuery(projectID, rolloutID));
  const { data: fleet } = useQuery({
    ...fleetQuery(projectID, rollout?.fleetID ?? ''),
    enabled: rollout !== undefined,
  });
  if (error !== null && rollout === undefined)
    return (
      <Page title={rolloutsTexts.rollout}>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Page>
    );
  if (rollout === undefined)
    return (
      <Page title={rolloutsTexts.rollout}>
        <Skeleton height={480} />
      </Page>
    );
  const { state, to, from, fleetID, reason, startedAt, startedBy } = rollout;
  return (
    <Page
      title={rolloutsTexts.rollout}
      heading={
        <>
          {rolloutsTexts.heading(to.number)} <NameText text={fleet?.name ?? fleetID} />
        </>
      }
      marks={<StatusBadge tone={toneOfState[state]} text={rolloutsTexts.states[state]} />}
      parent={
        <Link to="/projects/$projectID/fleets/$fleetID" params={{ projectID, fleetID }}>
          {fleet?.name ?? fleetID}
        </Link>
      }
      description={
        <>
          <MarkedText text={reason} />. {rolloutsTexts.started} <Moment at={startedAt} /> {rolloutsTexts.by}{' '}
          <NameText text={startedBy.name ?? rolloutsTexts.somebody} />,{' '}
          {rolloutsTexts.fromVersion(from.number)}.
        </>
      }
      actions={<RolloutActions rollout={rollout} />}
    >
      <div className={classes.parts}>
        <Verdict rollout={rollout} />
        <Stages rollout={rollout} />
        <section>
          <Title order={2} mb="xs">
            {rolloutsTexts.whatChanges}
          </Title>
          <VersionDiff projectID={projectID} versionID={to.id} against={from.id} />
        </section>
        <Agents projectID={projectID} rolloutID={rolloutID} />
      </div>
    </Page>
  );
}

function Verdict({ rollout }: { readonly rollout: Rollout }) {
  const { projectID, state, stage, stages, verdict, agentsCount } = rollout;
  const current = stages[stage - 1];
  return (
    <section
      className={classes.verdict}
      data-is-bad={toneOfState[state] === 'bad' || undefined}
      aria-label={rolloutsTexts.state}
    >
      <div>
        <div role="status">
          <Title order={2}>{verdictOf(rollout)}</Title>
        </div>
        {state === 'running' && current !== undefined && (
          <p>
            {rolloutsTexts.passes(
              stage,
              agentsCount.observed,
              current.agentsCount,
              formatDuration(current.soakSeconds),
            )}
          </p>
        )}
      </div>
      {verdict?.groupID !== undefined && (
        <Link to="/projects/$projectID/causes/$causeID" params={{ projectID, causeID: verdict.groupID }}>
          {rolloutsTexts.causeOfIt}
        </Link>
      )}
    </section>
  );
}

function Stages({ rollout }: { readonly rollout: Rollout }) {
  return (
    <section>
      <Title order={2} mb="xs">
        {rolloutsTexts.stages}
      </Title>
      <ol className={classes.stages}>
        {rollout.stages.map(({ agentsCount, soakSeconds }, index) => {
          const state = stageStateOf(rollout, index + 1);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a stage is its place
            <li key={index} aria-current={state === 'watching' ? 'step' : undefined}>
              <div className={classes.stageHead}>
                <strong>{rolloutsTexts.stage(index + 1)}</strong>
                <StatusBadge tone={toneOfStage[state]} text={rolloutsTexts.stageStates[state]} />
              </div>
              <p>
                {rolloutsTexts.agentsOf(agentsCount)},{' '}
                <span className="quiet">{rolloutsTexts.watchedFor(formatDuration(soakSeconds))}</span>
              </p>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

const tones: Readonly<Record<RolloutAgent['state'], StatusTone>> = {
  waiting: 'quiet',
  offered: 'quiet',
  downloaded: 'accent',
  applied: 'good',
  rejected: 'bad',
};

function Agents({ projectID, rolloutID }: { readonly projectID: string; readonly rolloutID: string }) {
  const navigate = useNavigate();
  const query = useInfiniteQuery(rolloutAgentsQuery(projectID, rolloutID));
  const { table } = useListRows(query, rolloutID, ({ agentID }) => agentID);
  const columns = useMemo(() => columnsOf(projectID), [projectID]);
  return (
    <section>
      <Title order={2} mb="xs">
        {rolloutsTexts.agents}
      </Title>
      <DataTable
        {...table}
        label={rolloutsTexts.agents}
        columns={columns}
        nameOf={({ name }) => name}
        onOpen={({ agentID }) =>
          void navigate({ to: '/projects/$projectID/agents/$agentID', params: { projectID, agentID } })
        }
        empty={rolloutsTexts.none}
      />
    </section>
  );
}

function columnsOf(projectID: string): readonly Column<RolloutAgent>[] {
  return [
    {
      id: 'agent',
      header: rolloutsTexts.agent,
      width: 'minmax(0, 2fr)',
      cell: ({ agentID, name }) => (
        <Link to="/projects/$projectID/agents/$agentID" params={{ projectID, agentID }} preload={false}>
          <HostileText text={name} isLine />
        </Link>
      ),
    },
    {
      id: 'stage',
      header: rolloutsTexts.stages,
      width: 'minmax(4rem, 1fr)',
      cell: ({ stage }) => rolloutsTexts.stage(stage),
    },
    {
      id: 'state',
      header: rolloutsTexts.state,
      width: 'minmax(6rem, 1fr)',
      cell: ({ state }) => <StatusBadge tone={tones[state]} text={rolloutsTexts.agentStates[state]} />,
    },
    {
      id: 'status',
      header: rolloutsTexts.statusNow,
      width: 'minmax(5rem, 1fr)',
      hideBelow: 'sm',
      cell: ({ status }) => status ?? <span className="quiet">–</span>,
    },
  ];
}
