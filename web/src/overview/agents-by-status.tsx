import type { ProjectSummary } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { formatNumber, formatShare } from '../parts/amount.ts';
import { StatusBadge, type StatusTone } from '../parts/status-badge.tsx';
import { useMay } from '../session/use-may.ts';
import { overviewTexts } from '../texts/overview.ts';
import classes from './agents-by-status.module.css';

const statuses = ['unhealthy', 'unknown', 'offline', 'stopped', 'healthy'] as const;

const tones: Readonly<Record<(typeof statuses)[number], StatusTone>> = {
  unhealthy: 'bad',
  unknown: 'unknown',
  offline: 'warning',
  stopped: 'quiet',
  healthy: 'good',
};

interface AgentsByStatusProps {
  readonly projectID: string;
  readonly summary: ProjectSummary;
}

/** How many agents have each status, as one bar, each with a link to their list. */
export function AgentsByStatus({ projectID, summary }: AgentsByStatusProps) {
  const mayList = useMay(projectID)('read:agent');
  const { agentsByStatus, agentsCount } = summary;
  return (
    <div className={classes.statuses}>
      <div className={classes.fleet} aria-hidden="true">
        {statuses
          .filter((status) => agentsByStatus[status] > 0)
          .map((status) => (
            <div key={status} data-tone={tones[status]} style={{ flexGrow: agentsByStatus[status] }} />
          ))}
      </div>
      <ul className={classes.legend}>
        {statuses.map((status) => {
          const count = (
            <>
              <StatusBadge
                tone={tones[status]}
                text={<strong>{formatNumber(agentsByStatus[status])}</strong>}
              />{' '}
              {overviewTexts.status[status]}{' '}
              <span className="quiet">{formatShare(agentsByStatus[status] / Math.max(1, agentsCount))}</span>
            </>
          );
          return (
            <li key={status} className="number">
              {mayList ? (
                <Link
                  to="/projects/$projectID/agents"
                  params={{ projectID }}
                  search={{ status }}
                  className={classes.link}
                >
                  {count}
                </Link>
              ) : (
                count
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
