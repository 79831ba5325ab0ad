import { Text, Title } from '@mantine/core';
import type { Agent, CoreInstance } from '@muster/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { AgentStatusBadge } from '../../agents/agent-status-badge.tsx';
import { formatNumber } from '../../parts/amount.ts';
import { HostileText } from '../../parts/hostile-text.tsx';
import { Moment } from '../../parts/moment.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useMay } from '../../session/use-may.ts';
import type { Column } from '../../table/column.ts';
import { DataTable } from '../../table/data-table.tsx';
import { useListRows } from '../../table/use-list-rows.ts';
import { sitesTexts } from '../../texts/sites.ts';
import { siteAgentsQuery } from '../site-queries.ts';
import classes from './site-page.module.css';

interface SiteAgentsProps {
  readonly projectID: string;
  readonly site: CoreInstance;
}

/** The agents for which the site last spoke. While nobody hears it, as they were then. */
export function SiteAgents({ projectID, site }: SiteAgentsProps) {
  const navigate = useNavigate();
  const mayReadErrors = useMay(projectID)('read:agent_error');
  const query = useInfiniteQuery(siteAgentsQuery(projectID, site.id));
  const { table } = useListRows(query, site.id, idOf);
  const isUnreachable = site.status === 'unreachable';
  const columns = useMemo(() => columnsOf(projectID, isUnreachable), [projectID, isUnreachable]);
  return (
    <section>
      <div className={classes.heading}>
        <Title order={2}>
          {sitesTexts.agentsBehind} <span className="quiet number">{formatNumber(site.agentsCount)}</span>
        </Title>
        {isUnreachable && site.lastContactAt !== null && (
          <Text size="xs" c="dimmed">
            {sitesTexts.asTheyWere} <Moment at={site.lastContactAt} />
          </Text>
        )}
        {mayReadErrors && (
          <Link to="/projects/$projectID/causes" params={{ projectID }} search={{ site: site.id }}>
            {sitesTexts.itsCauses}
          </Link>
        )}
      </div>
      <DataTable
        {...table}
        label={sitesTexts.agentsBehind}
        columns={columns}
        nameOf={({ name }) => name}
        onOpen={({ id: agentID }) =>
          void navigate({ to: '/projects/$projectID/agents/$agentID', params: { projectID, agentID } })
        }
        empty={
          <Text size="sm" c="dimmed">
            {sitesTexts.noAgents}
          </Text>
        }
      />
    </section>
  );
}

function columnsOf(projectID: string, isUnreachable: boolean): readonly Column<Agent>[] {
  return [
    {
      id: 'agent',
      header: sitesTexts.agent,
      width: 'minmax(0, 2fr)',
      cell: ({ id, name }) => (
        <Link to="/projects/$projectID/agents/$agentID" params={{ projectID, agentID: id }} preload={false}>
          <HostileText text={name} isLine />
        </Link>
      ),
    },
    {
      id: 'status',
      header: isUnreachable ? sitesTexts.statusThen : sitesTexts.statusNow,
      width: 'minmax(6rem, 2fr)',
      cell: ({ status, openErrorsCount }) => {
        // Nothing arrives from the site, so that nothing arrived from the agent says nothing of it.
        if (!isUnreachable || (status !== 'offline' && status !== 'unknown'))
          return <AgentStatusBadge status={status} />;
        return openErrorsCount > 0 ? (
          <AgentStatusBadge status="unhealthy" />
        ) : (
          <StatusBadge tone="unknown" text={sitesTexts.heard} />
        );
      },
    },
    {
      id: 'openErrors',
      header: sitesTexts.openErrors,
      width: '6.5rem',
      align: 'end',
      hideBelow: 'sm',
      cell: ({ openErrorsCount }) => (
        <span className={openErrorsCount === 0 ? 'quiet' : undefined}>{formatNumber(openErrorsCount)}</span>
      ),
    },
    {
      id: 'lastHeard',
      header: sitesTexts.lastHeard,
      width: '6.5rem',
      align: 'end',
      hideBelow: 'sm',
      cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} />,
    },
  ];
}

function idOf({ id }: Agent): string {
  return id;
}
