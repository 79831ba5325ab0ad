import { Skeleton, Text, Title } from '@mantine/core';
import type { AgentErrorGroup, Rollout } from '@muster/client';
import { titleOfCause } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { HostileText } from '../parts/hostile-text.tsx';
import { Moment } from '../parts/moment.tsx';
import { NameText } from '../parts/name-text.tsx';
import { shortID } from '../parts/short-id.ts';
import { type Happening, newestFirst, Timeline } from '../parts/timeline.tsx';
import { whenReachable } from '../service/when-reachable.ts';
import { useMay } from '../session/use-may.ts';
import { sitesQuery } from '../sites/site-queries.ts';
import { overviewTexts } from '../texts/overview.ts';
import classes from './overview-page.module.css';
import { historyQuery, recentRolloutsQuery } from './overview-queries.ts';

// It reads differences, which the overview does without otherwise.
const RolledOutName = lazy(whenReachable(() => import('./rolled-out-name.tsx')));

interface WhatHappenedProps {
  readonly projectID: string;
  readonly causes: readonly AgentErrorGroup[];
}

const maxListed = 8;
const maxOwn = 2;
const dayMilliseconds = 24 * 3_600_000;

/** What began and what changed in the last day, the newest first. */
export function WhatHappened({ projectID, causes }: WhatHappenedProps) {
  const may = useMay(projectID);
  const { data: history, error } = useQuery(historyQuery(projectID, 'day'));
  const { data: sites } = useQuery({ ...sitesQuery(projectID), enabled: may('read:core_instance') });
  const { data: rollouts } = useQuery({ ...recentRolloutsQuery(projectID), enabled: may('read:fleet') });
  if (history === undefined) return error === null ? <Skeleton height={240} /> : null;
  const began = causes.map((cause): Happening => {
    const { id, firstSeenAt, regressedAt, agentsCount } = cause;
    const title = titleOfCause(cause);
    const [at, verb] =
      regressedAt === null ? [firstSeenAt, overviewTexts.began] : [regressedAt, overviewTexts.cameBack];
    const text = (
      <>
        <Link to="/projects/$projectID/causes/$causeID" params={{ projectID, causeID: id }}>
          {title ?? <HostileText text={cause.pattern} isLine />}
        </Link>{' '}
        {verb}
      </>
    );
    return { key: id, at, tone: 'bad', text, more: overviewTexts.agents(agentsCount) };
  });
  // Where each agent has a configuration of its own, one line tells of all.
  const own = history.configurations.filter(({ agentsCount }) => agentsCount === 1);
  const isFolded = own.length > maxOwn;
  const shown = isFolded
    ? history.configurations.filter(({ agentsCount }) => agentsCount > 1)
    : history.configurations;
  const changed = shown.map(
    ({ configID, agentID, agentName, agentsCount, firstChangedAt }): Happening => ({
      key: configID,
      at: firstChangedAt,
      tone: 'change',
      text: (
        <>
          <Suspense
            fallback={
              <>
                {overviewTexts.configurationOn} <code>{shortID(configID)}</code>
              </>
            }
          >
            <RolledOutName projectID={projectID} agentID={agentID} configID={configID} />
          </Suspense>{' '}
          {overviewTexts.on} {overviewTexts.agents(agentsCount)}
        </>
      ),
      more: (
        <>
          {overviewTexts.firstOn}{' '}
          <Link
            to="/projects/$projectID/agents/$agentID"
            params={{ projectID, agentID }}
            search={{ config: configID }}
            preload={false}
          >
            <NameText text={agentName} />
          </Link>
        </>
      ),
    }),
  );
  const folded: Happening[] = isFolded
    ? [
        {
          key: 'own',
          at: own.reduce((at, { firstChangedAt }) => (firstChangedAt > at ? firstChangedAt : at), ''),
          tone: 'change',
          text: overviewTexts.ownConfigurations(history.configurationsCount - shown.length),
          more: (
            <>
              {overviewTexts.firstAt} <Moment at={own.reduce(earliest, own[0]?.firstChangedAt ?? '')} />
            </>
          ),
        },
      ]
    : [];
  const lost = (sites ?? []).flatMap(({ id, name, status, lastContactAt, createdAt }): Happening[] =>
    status === 'unreachable'
      ? [
          {
            key: id,
            at: lastContactAt ?? createdAt,
            tone: 'bad',
            text: (
              <>
                {overviewTexts.site}{' '}
                <Link to="/projects/$projectID/sites/$siteID" params={{ projectID, siteID: id }}>
                  <NameText text={name} />
                </Link>{' '}
                {overviewTexts.lastHeard.toLowerCase()}
              </>
            ),
          },
        ]
      : [],
  );
  const newest = Math.max(0, ...history.buckets.map(({ startsAt }) => Date.parse(startsAt)));
  const rolled = (rollouts ?? []).flatMap(happeningsOf);
  const all = newestFirst([...began, ...changed, ...folded, ...lost, ...rolled])
    .filter(({ at }) => newest - Date.parse(at) < dayMilliseconds)
    .slice(0, maxListed);
  return (
    <section>
      <div className={classes.heading}>
        <Title order={2}>{overviewTexts.whatHappened}</Title>
        {may('read:audit_log') && may('update:member') && (
          <Link to="/projects/$projectID/audit_log" params={{ projectID }}>
            {overviewTexts.auditLog}
          </Link>
        )}
      </div>
      {all.length === 0 && (
        <Text size="sm" c="dimmed">
          {overviewTexts.nothingHappened}
        </Text>
      )}
      <Timeline happenings={all} />
    </section>
  );
}

/** That a rollout began, and how it ended. */
function happeningsOf(rollout: Rollout): Happening[] {
  const { id, projectID, fleetID, fleetName, to, state, startedAt, endedAt, evidence, verdict } = rollout;
  const name = (
    <>
      <Link
        to="/projects/$projectID/fleets/$fleetID/rollouts/$rolloutID"
        params={{ projectID, fleetID, rolloutID: id }}
        preload={false}
      >
        {overviewTexts.rollout(to.number)}
      </Link>{' '}
      {overviewTexts.on} <NameText text={fleetName} />
    </>
  );
  const began: Happening = {
    key: `${id} began`,
    at: startedAt,
    tone: 'change',
    text: (
      <>
        {name} {overviewTexts.began}
      </>
    ),
  };
  const ended = overviewTexts.rolloutEnds[state];
  if (ended === undefined) return [began];
  const isBad = state !== 'completed' && verdict?.rule !== 'person';
  const endedText = (
    <>
      {name} {ended}
    </>
  );
  const at = (state === 'completed' ? undefined : evidence?.at) ?? endedAt ?? startedAt;
  return [{ key: `${id} ended`, at, tone: isBad ? 'bad' : 'change', text: endedText }, began];
}

function earliest(at: string, { firstChangedAt }: { readonly firstChangedAt: string }): string {
  return firstChangedAt < at ? firstChangedAt : at;
}
