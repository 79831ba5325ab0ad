import { Text, Title } from '@mantine/core';
import type { AgentErrorGroup, ProjectSummary } from '@muster/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { titleOf } from '../causes/cause-headline.ts';
import { CauseMarks } from '../causes/cause-marks.tsx';
import { CauseTrend } from '../causes/cause-trend.tsx';
import { fleetsQuery, versionCountsQuery } from '../fleets/fleet-queries.ts';
import { fleetLines } from '../fleets/who-runs-what.ts';
import { formatShare } from '../parts/amount.ts';
import { HostileText } from '../parts/hostile-text.tsx';
import { Moment } from '../parts/moment.tsx';
import { NameText } from '../parts/name-text.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { rolloutsQuery } from '../rollouts/rollout-queries.ts';
import { useMay } from '../session/use-may.ts';
import { sitesQuery } from '../sites/site-queries.ts';
import { overviewTexts } from '../texts/overview.ts';
import { lastFailures } from './last-failures.ts';
import classes from './overview-page.module.css';
import { expiringTokensQuery, failingChannelsQuery } from './overview-queries.ts';
import type { Picked } from './pick-story.ts';

interface AttentionProps {
  readonly projectID: string;
  readonly summary: ProjectSummary;
  /** Undefined: the user may not read errors. */
  readonly causes: Picked<AgentErrorGroup> | undefined;
}

const maxSites = 3;
const maxCauses = 6;

/** What somebody should look at: what is wrong on the most agents first. */
export function Attention({ projectID, summary, causes }: AttentionProps) {
  const may = useMay(projectID);
  const tokens = useQuery({ ...expiringTokensQuery(projectID), enabled: may('read:token') });
  const sites = useQuery({ ...sitesQuery(projectID), enabled: may('read:core_instance') });
  const channels = useQuery({ ...failingChannelsQuery(projectID), enabled: may('read:webhook') });
  const mayReadFleets = may('read:fleet');
  const fleets = useQuery({ ...fleetsQuery(projectID), enabled: mayReadFleets });
  const counts = useQuery({ ...versionCountsQuery(projectID), enabled: mayReadFleets });
  const rollouts = useInfiniteQuery({ ...rolloutsQuery(projectID), enabled: mayReadFleets });
  const drifted = fleetLines(fleets.data ?? [], counts.data ?? []).filter(({ who }) => who.driftedCount > 0);
  const stopped = lastFailures(rollouts.data?.pages[0]?.items ?? []);
  const fleetName = (id: string) => fleets.data?.find((fleet) => fleet.id === id)?.name ?? id;
  const { offline } = summary.agentsByStatus;
  const unreachable = (sites.data ?? [])
    .filter(({ status }) => status === 'unreachable')
    .sort((one, other) => other.agentsCount - one.agentsCount);
  const listed = causes?.listed.slice(0, maxCauses) ?? [];
  const rest = [...(causes?.listed.slice(maxCauses) ?? []), ...(causes?.rest ?? [])];
  const bySize = [
    ...unreachable.slice(0, maxSites).map((site) => ({
      size: site.agentsCount,
      item: (
        <Item
          key={site.id}
          tone="bad"
          title={
            <Link to="/projects/$projectID/sites/$siteID" params={{ projectID, siteID: site.id }}>
              {overviewTexts.site} <NameText text={site.name} /> {overviewTexts.isUnreachable}
            </Link>
          }
        >
          {overviewTexts.unknownAgents(site.agentsCount)} {overviewTexts.lastHeard}{' '}
          <Moment at={site.lastContactAt ?? site.createdAt} />
        </Item>
      ),
    })),
    ...drifted.map(({ fleet: { id, name }, who: { driftedCount } }) => ({
      size: driftedCount,
      item: (
        <Item
          key={id}
          tone="bad"
          title={
            <Link to="/projects/$projectID/fleets/$fleetID" params={{ projectID, fleetID: id }}>
              {overviewTexts.agents(driftedCount)} {overviewTexts.of} <NameText text={name} />{' '}
              {overviewTexts.runOther(driftedCount)}
            </Link>
          }
        >
          {overviewTexts.driftText}
        </Item>
      ),
    })),
    ...listed.map((cause) => ({
      size: cause.agentsCount,
      item: <CauseItem key={cause.id} projectID={projectID} cause={cause} />,
    })),
  ].sort((one, other) => other.size - one.size);
  const items = [
    ...bySize.map(({ item }) => item),
    ...stopped.map(({ id: rolloutID, fleetID, to, from, state, endedAt, startedAt, evidence, stages }) => (
      <Item
        key={rolloutID}
        tone="warning"
        title={
          <Link
            to="/projects/$projectID/fleets/$fleetID/rollouts/$rolloutID"
            params={{ projectID, fleetID, rolloutID }}
          >
            {overviewTexts.stoppedVersion(to.number)} <NameText text={fleetName(fleetID)} />{' '}
            {overviewTexts.at} <Moment at={evidence?.at ?? endedAt ?? startedAt} />
          </Link>
        }
      >
        {overviewTexts.reachedAgents(
          evidence?.updatedCount ?? 0,
          stages.reduce((sum, { agentsCount }) => sum + agentsCount, 0),
        )}{' '}
        {state === 'reverted' && overviewTexts.areBack(from.number)}
      </Item>
    )),
    ...(unreachable.length <= maxSites
      ? []
      : [
          <Item
            key="sites"
            tone="bad"
            title={
              <Link to="/projects/$projectID/sites" params={{ projectID }}>
                {overviewTexts.moreSites(unreachable.length - maxSites)}
              </Link>
            }
          >
            {overviewTexts.unknownAgents(
              unreachable.slice(maxSites).reduce((sum, { agentsCount }) => sum + agentsCount, 0),
            )}
          </Item>,
        ]),
    ...(channels.data ?? []).map(({ id, name, lastFailure, disabledReason }) => (
      <Item key={id} tone="bad" title={overviewTexts.failingChannel(name)}>
        <bdi>{disabledReason ?? lastFailure}</bdi>
      </Item>
    )),
    ...(tokens.data ?? []).map(({ id, name, expiresAt }) => (
      <Item
        key={id}
        tone="warning"
        title={
          <Link to="/projects/$projectID/tokens/$tokenID" params={{ projectID, tokenID: id }}>
            {overviewTexts.expiringToken(name)}
          </Link>
        }
      >
        {expiresAt !== null && (
          <>
            {overviewTexts.expires} <RelativeTime at={expiresAt} />
          </>
        )}
      </Item>
    )),
    ...(offline === 0
      ? []
      : [
          <Item
            key="offline"
            tone="warning"
            title={
              <Link to="/projects/$projectID/agents" params={{ projectID }} search={{ status: 'offline' }}>
                {overviewTexts.offline(offline)}
              </Link>
            }
          >
            {overviewTexts.offlineText}
          </Item>,
        ]),
    ...(rest.length === 0
      ? []
      : [
          <Item
            key="rest"
            tone="quiet"
            title={
              <Link to="/projects/$projectID/causes" params={{ projectID }}>
                {overviewTexts.moreCauses(rest.length)}
              </Link>
            }
          >
            {overviewTexts.restText}
          </Item>,
        ]),
  ];
  return (
    <section>
      <div className={classes.heading}>
        <Title order={2}>{overviewTexts.attention}</Title>
        {causes !== undefined && (
          <Link to="/projects/$projectID/causes" params={{ projectID }}>
            {overviewTexts.allCauses}
          </Link>
        )}
      </div>
      {items.length > 0 ? (
        <ul className={classes.attention}>{items}</ul>
      ) : (
        <Text size="sm" c="dimmed">
          {causes?.story === undefined
            ? overviewTexts.nothing(summary.agentsByStatus)
            : overviewTexts.nothingElse}
        </Text>
      )}
    </section>
  );
}

interface CauseItemProps {
  readonly projectID: string;
  readonly cause: AgentErrorGroup;
}

function CauseItem({ projectID, cause }: CauseItemProps) {
  const title = titleOf(cause);
  return (
    <Item
      tone="bad"
      title={
        <Link to="/projects/$projectID/causes/$causeID" params={{ projectID, causeID: cause.id }}>
          {title ?? <HostileText text={cause.pattern} isLine />}
        </Link>
      }
      marks={<CauseMarks cause={cause} />}
      trend={<CauseTrend projectID={projectID} cause={cause} />}
    >
      {overviewTexts.agents(cause.agentsCount)} ({formatShare(cause.agentsShare)})
      {title !== undefined && (
        <>
          : <HostileText text={cause.pattern} isLine />
        </>
      )}
    </Item>
  );
}

interface ItemProps {
  readonly tone: 'bad' | 'warning' | 'quiet';
  readonly title: ReactNode;
  readonly marks?: ReactNode;
  readonly trend?: ReactNode;
  readonly children: ReactNode;
}

function Item({ tone, title, marks, trend, children }: ItemProps) {
  return (
    <li>
      <StatusBadge tone={tone} text="" />
      <div className={classes.item} data-is-long={trend === undefined || undefined}>
        <div className={classes.itemTitle}>
          <bdi>{title}</bdi>
          {marks}
        </div>
        <p>{children}</p>
      </div>
      {trend}
    </li>
  );
}
