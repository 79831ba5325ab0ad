import { Text, Title } from '@mantine/core';
import type { ProjectSummary } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Moment } from '../parts/moment.tsx';
import { NameText } from '../parts/name-text.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { useMay } from '../session/use-may.ts';
import { sitesQuery } from '../sites/site-queries.ts';
import { overviewTexts } from '../texts/overview.ts';
import classes from './overview-page.module.css';
import { expiringTokensQuery, failingChannelsQuery } from './overview-queries.ts';

interface AttentionProps {
  readonly projectID: string;
  /** Undefined: not known yet. */
  readonly summary: ProjectSummary | undefined;
}

const maxSites = 3;

/** What somebody should look at, apart from errors. */
export function Attention({ projectID, summary }: AttentionProps) {
  const may = useMay(projectID);
  const tokens = useQuery({ ...expiringTokensQuery(projectID), enabled: may('read:token') });
  const sites = useQuery({ ...sitesQuery(projectID), enabled: may('read:core_instance') });
  const channels = useQuery({ ...failingChannelsQuery(projectID), enabled: may('read:webhook') });
  const offline = summary?.agentsByStatus.offline ?? 0;
  const unreachable = (sites.data ?? [])
    .filter(({ status }) => status === 'unreachable')
    .sort((one, other) => other.agentsCount - one.agentsCount);
  const items = [
    ...unreachable.slice(0, maxSites).map((site) => (
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
    ...(offline === 0
      ? []
      : [
          <Item
            key="offline"
            tone="bad"
            title={
              <Link to="/projects/$projectID/agents" params={{ projectID }} search={{ status: 'offline' }}>
                {overviewTexts.offline(offline)}
              </Link>
            }
          >
            {overviewTexts.offlineText}
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
        {expiresAt === null ? (
          overviewTexts.earlierValue
        ) : (
          <>
            {overviewTexts.expires} <RelativeTime at={expiresAt} />
          </>
        )}
      </Item>
    )),
  ];
  return (
    <section>
      <div className={classes.heading}>
        <Title order={2}>{overviewTexts.attention}</Title>
      </div>
      {items.length > 0 ? (
        <ul className={classes.attention}>{items}</ul>
      ) : (
        summary !== undefined && (
          <Text size="sm" c="dimmed">
            {overviewTexts.nothing}
          </Text>
        )
      )}
    </section>
  );
}

interface ItemProps {
  readonly tone: 'bad' | 'warning';
  readonly title: ReactNode;
  readonly children: ReactNode;
}

function Item({ tone, title, children }: ItemProps) {
  return (
    <li data-tone={tone}>
      <bdi>{title}</bdi>
      <p>{children}</p>
    </li>
  );
}
