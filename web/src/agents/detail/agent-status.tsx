import { Text } from '@mantine/core';
import type { AgentWithConfig, CoreInstance } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { Moment } from '../../parts/moment.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { agentsTexts } from '../../texts/agents.ts';
import { AgentStatusBadge } from '../agent-status-badge.tsx';
import { StatusReason } from '../status-reason.tsx';
import classes from './agent-page.module.css';

interface AgentStatusProps {
  readonly agent: AgentWithConfig;
  /** The one that last spoke for it. Undefined: none, or not known. */
  readonly site: CoreInstance | undefined;
}

/** In which state the agent is, since when, why, and what that means. */
export function AgentStatus({ agent, site }: AgentStatusProps) {
  const { status, statusSince, lastSeenAt } = agent;
  if (site?.status === 'unreachable') return <UnknownStatus agent={agent} site={site} />;
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

/** Nothing arrives from its site, so that nobody knows how the agent is. */
function UnknownStatus({ agent, site }: { readonly agent: AgentWithConfig; readonly site: CoreInstance }) {
  const { id: siteID, projectID, name, lastContactAt, createdAt } = site;
  return (
    <>
      <div className={classes.status}>
        <StatusBadge tone="unknown" text={agentsTexts.unknownStatus} />
        <strong>
          {agentsTexts.itsSite}{' '}
          <Link to="/projects/$projectID/sites/$siteID" params={{ projectID, siteID }}>
            <NameText text={name} />
          </Link>{' '}
          {agentsTexts.siteUnreachable}
        </strong>
        <span className="quiet">
          {agentsTexts.sinceLabel} <Moment at={lastContactAt ?? createdAt} /> ·{' '}
          {agentsTexts.lastSeen.toLowerCase()} <RelativeTime at={agent.lastSeenAt} />
        </span>
      </div>
      <Text size="sm" c="dimmed" maw="44rem">
        {agentsTexts.unknownMeaning}
      </Text>
    </>
  );
}
