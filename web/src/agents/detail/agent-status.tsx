import { Text } from '@mantine/core';
import type { AgentWithConfig } from '@muster/client';
import { Moment } from '../../parts/moment.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { agentsTexts } from '../../texts/agents.ts';
import { AgentStatusBadge } from '../agent-status-badge.tsx';
import { StatusReason } from '../status-reason.tsx';
import classes from './agent-page.module.css';

/** In which state the agent is, since when, why, and what that means. */
export function AgentStatus({ agent }: { readonly agent: AgentWithConfig }) {
  const { status, statusSince, lastSeenAt } = agent;
  return (
    <>
      <div className={classes.status}>
        <AgentStatusBadge status={status} />
        <strong>
          <StatusReason agent={agent} />
        </strong>
        <span className="quiet">
          {agentsTexts.sinceLabel} <Moment at={statusSince} /> · {agentsTexts.lastSeen.toLowerCase()}{' '}
          <RelativeTime at={lastSeenAt} />
        </span>
      </div>
      {status !== 'unhealthy' && (
        <Text size="sm" c="dimmed" maw="44rem">
          {agentsTexts.statusMeanings[status]}
        </Text>
      )}
    </>
  );
}
