import type { Agent } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { formatNumber } from '../../parts/amount.ts';
import { ErrorLine } from '../../parts/error-line.tsx';
import { HostileText } from '../../parts/hostile-text.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import type { Column } from '../../table/column.ts';
import { agentsTexts } from '../../texts/agents.ts';
import { AgentStatusBadge } from '../agent-status-badge.tsx';
import { StatusReason } from '../status-reason.tsx';
import classes from './agent-columns.module.css';
import { AgentRuns } from './agent-runs.tsx';

export function agentColumns(projectID: string): readonly Column<Agent>[] {
  return [
    {
      id: 'name',
      header: agentsTexts.name,
      width: 'minmax(0, 3fr)',
      cell: ({ id, name, machineID }) => (
        <>
          <Link
            to="/projects/$projectID/agents/$agentID"
            params={{ projectID, agentID: id }}
            className={classes.name}
            preload={false}
          >
            <HostileText text={name} isLine />
          </Link>
          {machineID !== name && (
            <div className={classes.second}>
              <HostileText text={machineID} isLine />
            </div>
          )}
        </>
      ),
    },
    {
      id: 'status',
      header: agentsTexts.status,
      width: 'minmax(6rem, 5fr)',
      cell: (agent) => (
        <>
          <AgentStatusBadge status={agent.status} />
          <div className={classes.second} title={agent.statusReason ?? undefined}>
            {agent.openError === null || agent.status !== 'unhealthy' ? (
              <StatusReason agent={agent} />
            ) : (
              <ErrorLine text={agent.openError.error} />
            )}
          </div>
        </>
      ),
    },
    {
      id: 'version',
      header: agentsTexts.version,
      width: 'minmax(5rem, 1fr)',
      hideBelow: 'lg',
      cell: ({ version }) => <Described text={version} />,
    },
    {
      id: 'fleet',
      header: agentsTexts.fleet,
      width: 'minmax(5rem, 1fr)',
      hideBelow: 'lg',
      cell: ({ fleet, fleetID }) => <Described text={fleet?.name ?? fleetID} />,
    },
    {
      id: 'runs',
      header: agentsTexts.runs,
      width: '8.5rem',
      hideBelow: 'lg',
      cell: (agent) => <AgentRuns projectID={projectID} agent={agent} isNamed={false} />,
    },
    {
      id: 'openErrors',
      header: agentsTexts.openErrors,
      width: '6.5rem',
      align: 'end',
      hideBelow: 'md',
      cell: ({ openErrorsCount }) => (
        <span className={openErrorsCount === 0 ? 'quiet' : undefined}>{formatNumber(openErrorsCount)}</span>
      ),
    },
    {
      id: 'lastSeen',
      header: agentsTexts.lastSeen,
      width: '6.5rem',
      align: 'end',
      hideBelow: 'sm',
      cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} />,
    },
  ];
}

function Described({ text }: { readonly text: string | null }) {
  if (text === null || text === '') return <span className="quiet">{agentsTexts.unknown}</span>;
  return <HostileText text={text} isLine />;
}
