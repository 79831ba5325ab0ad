import { Title } from '@mantine/core';
import type { AgentErrorGroup, ProjectSummary, Token } from '@muster/client';
import { titleOfCause } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { CauseMarks } from '../causes/cause-marks.tsx';
import { CauseTrend } from '../causes/cause-trend.tsx';
import { fleetsQuery } from '../fleets/fleets-query.ts';
import { formatShare } from '../parts/amount.ts';
import { HostileText } from '../parts/hostile-text.tsx';
import { Moment } from '../parts/moment.tsx';
import { NameText } from '../parts/name-text.tsx';
import { whenReachable } from '../service/when-reachable.ts';
import { useMay } from '../session/use-may.ts';
import { sitesQuery } from '../sites/site-queries.ts';
import { overviewTexts } from '../texts/overview.ts';
import { Item } from './attention-item.tsx';
import { AttentionList } from './attention-list.tsx';
import classes from './overview-page.module.css';
import {
  expiringTokensQuery,
  failedAgentsQuery,
  failingChannelsQuery,
  maxFailed,
} from './overview-queries.ts';
import type { Picked } from './pick-story.ts';

interface AttentionProps {
  readonly projectID: string;
  readonly summary: ProjectSummary;
  /** Undefined: the user may not read errors. */
  readonly causes: Picked<AgentErrorGroup> | undefined;
  /** Open causes that were not read. */
  readonly unreadCount: number;
}

// Many projects have no fleet.
const FleetAttention = lazy(
  whenReachable(async () => ({ default: (await import('./fleet-attention.tsx')).FleetAttention })),
);

const TokenItem = lazy(
  whenReachable(async () => ({ default: (await import('./token-item.tsx')).TokenItem })),
);

const OfflineItem = lazy(
  whenReachable(async () => ({ default: (await import('./offline-item.tsx')).OfflineItem })),
);

const RotateTokenDialog = lazy(
  whenReachable(async () => ({
    default: (await import('../tokens/rotate-token-dialog.tsx')).RotateTokenDialog,
  })),
);

const maxSites = 3;
const maxCauses = 3;

/** What somebody should look at: what is wrong on the most agents first. */
export function Attention({ projectID, summary, causes, unreadCount }: AttentionProps) {
  const may = useMay(projectID);
  const tokens = useQuery({ ...expiringTokensQuery(projectID), enabled: may('read:token') });
  const sites = useQuery({ ...sitesQuery(projectID), enabled: may('read:core_instance') });
  const channels = useQuery({ ...failingChannelsQuery(projectID), enabled: may('read:webhook') });
  const fleets = useQuery({ ...fleetsQuery(projectID), enabled: may('read:fleet') });
  // Not in the list, which the token leaves while its new value, which is shown once, still stands in the dialog.
  const [rotated, setRotated] = useState<Token>();
  const [isRotating, setIsRotating] = useState(false);
  const { offline, unhealthy } = summary.agentsByStatus;
  const { data: failed = 0 } = useQuery({
    ...failedAgentsQuery(projectID),
    enabled: unhealthy > 0 && may('read:agent'),
  });
  const unreachable = (sites.data ?? [])
    .filter(({ status }) => status === 'unreachable')
    .sort((one, other) => other.agentsCount - one.agentsCount);
  const listed = causes?.listed.slice(0, maxCauses) ?? [];
  const folded = causes === undefined ? [] : [...causes.listed.slice(maxCauses), ...causes.rest];
  const restCount = folded.length + unreadCount;
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
    ...listed.map((cause) => ({
      size: cause.agentsCount,
      item: <CauseItem key={cause.id} projectID={projectID} cause={cause} />,
    })),
    ...(unhealthy === 0 || failed === 0
      ? []
      : [
          {
            size: failed,
            item: (
              <Item
                key="failed"
                tone="bad"
                title={
                  <Link
                    to="/projects/$projectID/agents"
                    params={{ projectID }}
                    search={{ status: 'unhealthy' }}
                  >
                    {overviewTexts.failed(Math.min(failed, maxFailed), failed > maxFailed)}
                  </Link>
                }
              >
                {overviewTexts.failedText}
              </Item>
            ),
          },
        ]),
  ];
  const others = [
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
      <Item
        key={id}
        tone="bad"
        title={
          <Link to="/projects/$projectID/alerts" params={{ projectID }} search={{ section: 'channels' }}>
            {overviewTexts.failingChannel(name)}
          </Link>
        }
      >
        <bdi>{disabledReason ?? lastFailure}</bdi>
      </Item>
    )),
    ...(tokens.data ?? []).map((token) => (
      <Suspense key={token.id}>
        <TokenItem
          projectID={projectID}
          token={token}
          onRotate={() => {
            setRotated(token);
            setIsRotating(true);
          }}
        />
      </Suspense>
    )),
    ...(offline === 0
      ? []
      : [
          <Suspense key="offline">
            <OfflineItem projectID={projectID} count={offline} />
          </Suspense>,
        ]),
    ...(restCount === 0
      ? []
      : [
          <Item
            key="rest"
            tone="quiet"
            title={
              <Link to="/projects/$projectID/causes" params={{ projectID }}>
                {overviewTexts.moreCauses(
                  restCount,
                  unreadCount > 0 ? undefined : folded.reduce((sum, { agentsCount }) => sum + agentsCount, 0),
                )}
              </Link>
            }
          >
            {overviewTexts.restText}
          </Item>,
        ]),
  ];
  const nothing =
    causes?.story === undefined ? overviewTexts.nothing(summary.agentsByStatus) : overviewTexts.nothingElse;
  const list = { bySize, others, nothing };
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
      {fleets.data === undefined || fleets.data.length === 0 ? (
        <AttentionList {...list} />
      ) : (
        <Suspense fallback={<AttentionList {...list} />}>
          <FleetAttention projectID={projectID} fleets={fleets.data} list={list} />
        </Suspense>
      )}
      {rotated !== undefined && (
        <Suspense>
          <RotateTokenDialog
            projectID={projectID}
            token={rotated}
            isOpen={isRotating}
            onClose={() => setIsRotating(false)}
          />
        </Suspense>
      )}
    </section>
  );
}

interface CauseItemProps {
  readonly projectID: string;
  readonly cause: AgentErrorGroup;
}

function CauseItem({ projectID, cause }: CauseItemProps) {
  const title = titleOfCause(cause);
  return (
    <Item
      tone="bad"
      title={
        <Link to="/projects/$projectID/causes/$causeID" params={{ projectID, causeID: cause.id }}>
          {title ?? <HostileText text={cause.pattern} isLine />}
        </Link>
      }
      marks={<CauseMarks cause={cause} />}
      end={<CauseTrend projectID={projectID} cause={cause} />}
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
