import { Skeleton, Title } from '@mantine/core';
import type { AgentErrorGroup, FreezeWindows, Rollout, RolloutAgent } from '@muster/client';
import { type BadLine, pastPredicateOf, predicateOf, suspicionOf } from '@muster/contract';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { causeQuery } from '../causes/cause-queries.ts';
import { VersionDiff } from '../fleets/detail/version-diff.tsx';
import { fleetQuery } from '../fleets/fleet-queries.ts';
import { formatNumber, formatShare } from '../parts/amount.ts';
import { ErrorState } from '../parts/error-state.tsx';
import { formatDuration } from '../parts/format-duration.ts';
import { HostileText } from '../parts/hostile-text.tsx';
import { MarkedText } from '../parts/marked-text.tsx';
import { Moment } from '../parts/moment.tsx';
import { NameText } from '../parts/name-text.tsx';
import { Page } from '../parts/page.tsx';
import { StatusBadge, type StatusTone } from '../parts/status-badge.tsx';
import { useMay } from '../session/use-may.ts';
import type { Column } from '../table/column.ts';
import { DataTable } from '../table/data-table.tsx';
import { useListRows } from '../table/use-list-rows.ts';
import { rolloutsTexts } from '../texts/rollouts.ts';
import { ReachedAgents } from './reached-agents.tsx';
import { RolloutActions } from './rollout-actions.tsx';
import { RolloutEvidence } from './rollout-evidence.tsx';
import { RolloutHistory } from './rollout-history.tsx';
import classes from './rollout-page.module.css';
import {
  hasFailed,
  isOpen,
  pacedUntil,
  progressOfStage,
  reachedCountOf,
  stageStateOf,
  toneOfStage,
  toneOfState,
  unheardCountOf,
} from './rollout-progress.ts';
import { rolloutAgentsQuery, rolloutQuery } from './rollout-queries.ts';
import { verdictOf } from './rollout-verdict.ts';
import { freezeQuery } from './upcoming-queries.ts';
import { useRolloutCause } from './use-rollout-cause.ts';

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
  const { state, to, from, fleetID, reason, startedAt, startedBy, maxPerMinute, approval } = rollout;
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
          {rolloutsTexts.fromVersion(from.number)}.{' '}
          {maxPerMinute !== null && rolloutsTexts.atMost(maxPerMinute)}{' '}
          {approval === 'each_stage' && rolloutsTexts.needsApproval}
        </>
      }
      actions={<RolloutActions rollout={rollout} />}
    >
      <div className={classes.parts}>
        <Verdict rollout={rollout} />
        <Stages rollout={rollout} />
        <div className={classes.columns}>
          <Changed rollout={rollout} />
          <RolloutHistory rollout={rollout} />
        </div>
        <RolloutEvidence rollout={rollout} />
        {isOpen(rollout) ? (
          <Agents projectID={projectID} rolloutID={rolloutID} />
        ) : (
          <ReachedAgents rollout={rollout} />
        )}
      </div>
    </Page>
  );
}

/** The difference of its versions, with what came of a line below it. */
function Changed({ rollout }: { readonly rollout: Rollout }) {
  const { projectID, fleetID, to, from } = rollout;
  const { error, line } = useRolloutCause(rollout);
  return (
    <section>
      <div className={classes.heading}>
        <Title order={2}>{hasFailed(rollout) ? rolloutsTexts.whatWasWrong : rolloutsTexts.whatChanges}</Title>
        <Link
          to="/projects/$projectID/fleets/$fleetID"
          params={{ projectID, fleetID }}
          search={{ version: to.id, against: from.id }}
        >
          {rolloutsTexts.wholeDifference}
        </Link>
      </div>
      <VersionDiff
        projectID={projectID}
        versionID={to.id}
        against={from.id}
        note={line !== undefined && error !== undefined ? { line: line.number, text: error } : undefined}
      />
    </section>
  );
}

function Verdict({ rollout }: { readonly rollout: Rollout }) {
  const { state, stage, stages, agentsCount, evidence, isHeld } = rollout;
  const { cause, line } = useRolloutCause(rollout);
  const current = stages[stage - 1];
  const all = stages.reduce((sum, one) => sum + one.agentsCount, 0);
  return (
    <section
      className={classes.verdict}
      data-is-bad={hasFailed(rollout) || undefined}
      data-is-held={isHeld || undefined}
      aria-label={rolloutsTexts.state}
    >
      <div>
        <div role="status">
          <Title order={2}>
            {isHeld ? (
              <HeldSentence rollout={rollout} />
            ) : (
              <VerdictSentence rollout={rollout} cause={cause} line={line} />
            )}
          </Title>
        </div>
        {isHeld && <HeldUntil rollout={rollout} />}
        {state === 'running' && !isHeld && current !== undefined && (
          <p>
            {rolloutsTexts.passes(
              stage,
              agentsCount.observed,
              current.agentsCount,
              formatDuration(current.soakSeconds),
            )}
          </p>
        )}
        {state === 'waiting' && <WhatItWaitsFor rollout={rollout} />}
        {toneOfState[state] === 'bad' && <Aftermath rollout={rollout} />}
      </div>
      {evidence !== null && !isOpen(rollout) && (
        <div className={classes.reached}>
          <strong>{formatNumber(reachedCountOf(evidence))}</strong>{' '}
          {state === 'stopped' ? rolloutsTexts.gotIt(all) : rolloutsTexts.hadIt(all)}
        </div>
      )}
    </section>
  );
}

/** What may have come with the version, with the cause to look into. */
function HeldSentence({ rollout }: { readonly rollout: Rollout }) {
  const { projectID } = rollout;
  const suspicion = suspicionOf(rollout);
  const causeID = suspicion?.causeID ?? '';
  const mayRead = useMay(projectID)('read:agent_error') && causeID !== '';
  const { data: cause } = useQuery({ ...causeQuery(projectID, causeID), enabled: mayRead });
  if (suspicion === undefined) return verdictOf(rollout);
  const { updated, updatedOf } = suspicion;
  return (
    <>
      {rolloutsTexts.heldOn(updated, updatedOf)}{' '}
      {cause === undefined ? (
        rolloutsTexts.somethingNew(updated)
      ) : (
        <Link to="/projects/$projectID/causes/$causeID" params={{ projectID, causeID }}>
          {predicateOf(cause, updated)}
        </Link>
      )}
      .
    </>
  );
}

/** Whether others have it too, and when it stops. */
function HeldUntil({ rollout }: { readonly rollout: Rollout }) {
  const suspicion = suspicionOf(rollout);
  return (
    <p>
      {suspicion !== undefined && rolloutsTexts.othersHaveIt(suspicion.others, suspicion.othersOf)}{' '}
      {suspicion !== undefined && rolloutsTexts.unheard(unheardCountOf(rollout))}{' '}
      {rollout.heldUntil !== null && (
        <>
          {rolloutsTexts.heldStart} <Moment at={rollout.heldUntil} hasSeconds /> {rolloutsTexts.heldEnd}
        </>
      )}
    </p>
  );
}

/** Until when, who gets the version then, and what happens meanwhile. */
function WhatItWaitsFor({ rollout: { projectID, stage, stages, verdict } }: { readonly rollout: Rollout }) {
  const isFrozen = verdict?.rule === 'freeze';
  const { data } = useQuery({ ...freezeQuery(projectID), enabled: isFrozen });
  return (
    <p>
      {isFrozen && data !== undefined && <EndOfFreeze freeze={data.freeze} />}{' '}
      {rolloutsTexts.getIt(stages[stage]?.agentsCount ?? 0)} {rolloutsTexts.stillWatched}
    </p>
  );
}

/** As it is now: windows can change after it was written down what a stage waits for. */
function EndOfFreeze({ freeze }: Pick<FreezeWindows, 'freeze'>) {
  if (freeze === null) return rolloutsTexts.freezeEnded;
  if (freeze.endsAt === null) return rolloutsTexts.freezeHasNoEnd;
  return (
    <>
      {rolloutsTexts.freezeEnds} <Moment at={freeze.endsAt} />.
    </>
  );
}

/** Who else had the cause, and whether its agents are back. */
function Aftermath({ rollout }: { readonly rollout: Rollout }) {
  const { state, verdict, evidence, from, endedAt, agentsCount } = rollout;
  const cause = evidence?.causes.find(({ groupID }) => groupID === verdict?.groupID);
  return (
    <p>
      {evidence !== null && cause !== undefined && (
        <>
          {rolloutsTexts.othersHadIt(cause.othersCount, evidence.othersCount)}{' '}
          {rolloutsTexts.unheard(unheardCountOf(rollout))}{' '}
        </>
      )}
      {state === 'reverted' && agentsCount.applied > 0 && rolloutsTexts.stillRun(agentsCount.applied)}
      {state === 'reverted' && agentsCount.applied === 0 && endedAt !== null && (
        <>
          {rolloutsTexts.areBack(from.number)} <Moment at={endedAt} hasSeconds />.
        </>
      )}
      {state === 'reverting' && rolloutsTexts.goBack(from.number)}
      {state === 'stopped' && rolloutsTexts.keepIt}
    </p>
  );
}

interface VerdictSentenceProps {
  readonly rollout: Rollout;
  readonly cause: AgentErrorGroup | undefined;
  readonly line: BadLine | undefined;
}

/** What was wrong with the configuration and on which line, if that is known. */
function VerdictSentence({ rollout, cause, line }: VerdictSentenceProps) {
  const { verdict, evidence, history } = rollout;
  const stopped = history.findLast(({ kind }) => kind === 'stopped');
  if (verdict?.rule !== 'new_cause' || evidence === null || stopped === undefined || cause === undefined)
    return verdictOf(rollout);
  const { agents = 0, of = 0 } = verdict;
  const what = rolloutsTexts.couldNot(agents, of, pastPredicateOf(cause, agents));
  return (
    <>
      {rolloutsTexts.stoppedAt} <Moment at={stopped.at} hasSeconds />:{' '}
      {line !== undefined && (
        <>
          <span className={classes.bad}>{rolloutsTexts.lineSays[line.kind](line.number, line.value)}</span>
          {rolloutsTexts.and}
        </>
      )}
      {what}
    </>
  );
}

function Stages({ rollout }: { readonly rollout: Rollout }) {
  const all = rollout.stages.reduce((sum, { agentsCount }) => sum + agentsCount, 0);
  return (
    <section aria-label={rolloutsTexts.stages}>
      <ol className={classes.stages}>
        {rollout.stages.map(({ agentsCount, soakSeconds }, index) => {
          const number = index + 1;
          const state = stageStateOf(rollout, number);
          const reached = rollout.stages.slice(0, number).reduce((sum, one) => sum + one.agentsCount, 0);
          const { done, begun } = progressOfStage(rollout, number);
          return (
            <li key={number} data-state={state} aria-current={state === 'watching' ? 'step' : undefined}>
              <div className={classes.stageHead}>
                <strong>{rolloutsTexts.stage(number)}</strong>
                <StatusBadge tone={toneOfStage[state]} text={rolloutsTexts.stageStates[state]} />
              </div>
              <p className={classes.size}>
                <strong>{formatShare(reached / Math.max(1, all))}</strong>{' '}
                <span className="quiet">{rolloutsTexts.agentsOf(agentsCount)}</span>
              </p>
              <div className={classes.bar} aria-hidden="true">
                <div style={{ width: `${done * 100}%` }} />
                <div style={{ width: `${(begun - done) * 100}%` }} />
              </div>
              <p className={classes.second}>
                <StageNote rollout={rollout} number={number} soakSeconds={soakSeconds} />
              </p>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

interface StageNoteProps {
  readonly rollout: Rollout;
  readonly number: number;
  readonly soakSeconds: number;
}

/** When it was, and what its agents showed. */
function StageNote({ rollout, number, soakSeconds }: StageNoteProps) {
  const { evidence, history, startedAt, agentsCount, stageStartedAt, stage: current, maxPerMinute } = rollout;
  const state = stageStateOf(rollout, number);
  const { stageNotes } = rolloutsTexts;
  if (state === 'passed') {
    const ends = (stage: number) =>
      history.findLast((step) => step.stage === stage && endsStage.has(step.kind))?.at ?? startedAt;
    return (
      <>
        <Moment at={number === 1 ? startedAt : ends(number - 1)} /> – <Moment at={ends(number)} />
      </>
    );
  }
  if (state === 'stopped')
    return stageNotes.stopped(
      evidence === null ? 0 : reachedCountOf(evidence),
      evidence?.worse.updatedCount ?? 0,
    );
  if (state === 'notReached') return stageNotes.nobody;
  if (state === 'waits') {
    if (rollout.state === 'waiting' && number === current + 1)
      return rollout.verdict?.rule === 'freeze' ? stageNotes.afterFreeze : stageNotes.afterApproval;
    return stageNotes.waits(number - 1, formatDuration(soakSeconds));
  }
  const until = pacedUntil(rollout);
  return (
    <>
      {stageNotes.since} <Moment at={stageStartedAt} />,{' '}
      {stageNotes.watching(agentsCount.observed, formatDuration(soakSeconds))}
      {until !== undefined && maxPerMinute !== null && (
        <>
          {'. '}
          {stageNotes.paced(maxPerMinute)} <Moment at={new Date(until).toISOString()} />
        </>
      )}
    </>
  );
}

const endsStage: ReadonlySet<Rollout['history'][number]['kind']> = new Set([
  'passed',
  'promoted',
  'approved',
  'completed',
  'waiting',
]);

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
