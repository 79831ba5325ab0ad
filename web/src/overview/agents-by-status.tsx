import { Skeleton } from '@mantine/core';
import type { ProjectSummary } from '@muster/client';
import { formatNumber } from '../parts/amount.ts';
import { StatusBadge, type StatusTone } from '../parts/status-badge.tsx';
import { overviewTexts } from '../texts/overview.ts';
import classes from './agents-by-status.module.css';

const statuses = ['unhealthy', 'offline', 'stopped', 'healthy'] as const;

const tones: Readonly<Record<(typeof statuses)[number], StatusTone>> = {
  unhealthy: 'bad',
  offline: 'warning',
  stopped: 'quiet',
  healthy: 'good',
};

/** How many agents have each status. Undefined: not known yet. */
export function AgentsByStatus({ summary }: { readonly summary: ProjectSummary | undefined }) {
  return (
    <dl className={classes.tiles}>
      {statuses.map((status) => (
        <div key={status} className={classes.tile}>
          <dt>
            <StatusBadge tone={tones[status]} text={overviewTexts.status[status]} />
          </dt>
          <dd className="number">
            {summary === undefined ? (
              <Skeleton height={24} width={64} mt={6} />
            ) : (
              formatNumber(summary.agentsByStatus[status])
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
