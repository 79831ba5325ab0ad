import type { ProjectSummary } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { statusesWorstFirst, statusTones } from '../agents/status-tones.ts';
import { formatNumber, formatShare } from '../parts/amount.ts';
import { StatusBadge } from '../parts/status-badge.tsx';
import { useMay } from '../session/use-may.ts';
import { overviewTexts } from '../texts/overview.ts';
import classes from './agents-by-status.module.css';

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
        {statusesWorstFirst
          .filter((status) => agentsByStatus[status] > 0)
          .map((status) => (
            <div key={status} data-tone={statusTones[status]} style={{ flexGrow: agentsByStatus[status] }} />
          ))}
      </div>
      <ul className={classes.legend}>
        {statusesWorstFirst.map((status) => {
          const count = (
            <>
              <StatusBadge
                tone={statusTones[status]}
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
