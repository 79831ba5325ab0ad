import { Skeleton } from '@mantine/core';
import type { ProjectSummary } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { formatNumber, formatShare } from '../parts/amount.ts';
import { StatusBadge, type StatusTone } from '../parts/status-badge.tsx';
import { useMay } from '../session/use-may.ts';
import { overviewTexts } from '../texts/overview.ts';
import classes from './agents-by-status.module.css';

const statuses = ['unhealthy', 'offline', 'unknown', 'stopped', 'healthy'] as const;

const tones: Readonly<Record<(typeof statuses)[number], StatusTone>> = {
  unhealthy: 'bad',
  offline: 'warning',
  unknown: 'quiet',
  stopped: 'quiet',
  healthy: 'good',
};

interface AgentsByStatusProps {
  readonly projectID: string;
  /** Undefined: not known yet. */
  readonly summary: ProjectSummary | undefined;
}

/** How many agents have each status, each with a link to their list. */
export function AgentsByStatus({ projectID, summary }: AgentsByStatusProps) {
  const mayList = useMay(projectID)('read:agent');
  return (
    <>
      <dl className={classes.tiles}>
        {statuses.map((status) => (
          <div key={status} className={classes.tile}>
            <dt>
              {mayList ? (
                <Link
                  to="/projects/$projectID/agents"
                  params={{ projectID }}
                  search={{ status }}
                  className={classes.link}
                >
                  <StatusBadge tone={tones[status]} text={overviewTexts.status[status]} />
                </Link>
              ) : (
                <StatusBadge tone={tones[status]} text={overviewTexts.status[status]} />
              )}
            </dt>
            <dd className="number">
              {summary === undefined ? (
                <Skeleton height={24} width={64} mt={6} />
              ) : (
                <>
                  {formatNumber(summary.agentsByStatus[status])}
                  <span className={classes.share}>
                    {formatShare(summary.agentsByStatus[status] / Math.max(1, summary.agentsCount))}
                  </span>
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
      <div className={classes.fleet} aria-hidden="true">
        {summary !== undefined &&
          statuses
            .filter((status) => summary.agentsByStatus[status] > 0)
            .map((status) => (
              <div
                key={status}
                data-tone={tones[status]}
                style={{ flexGrow: summary.agentsByStatus[status] }}
              />
            ))}
      </div>
    </>
  );
}
