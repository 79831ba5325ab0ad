import { Text } from '@mantine/core';
import type { TokenUsage } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { HostileText } from '../parts/hostile-text.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { tokensTexts } from '../texts/tokens.ts';
import { stopsWithToken } from './stops-with-token.ts';
import classes from './token-page.module.css';

/** The agents that registered with a token or report with it, and what becomes of each if the token is revoked. */
export function UsingAgents({
  projectID,
  usage: { agents, agentsCount },
}: {
  readonly projectID: string;
  readonly usage: TokenUsage;
}) {
  if (agentsCount === 0) return <Text size="sm">{tokensTexts.noAgents}</Text>;
  return (
    <>
      {agentsCount > agents.length && (
        <Text size="sm" c="dimmed">
          {tokensTexts.allAgents(agents.length, agentsCount)}
        </Text>
      )}
      <ul className={classes.list}>
        {agents.map(({ id, name, reports, hasOwnToken }) => (
          <li key={id}>
            <Link to="/projects/$projectID/agents/$agentID" params={{ projectID, agentID: id }}>
              <HostileText text={name} isLine />
            </Link>
            {stopsWithToken({ reports, hasOwnToken }) ? (
              <StatusBadge tone="bad" text={tokensTexts.stops} />
            ) : (
              <StatusBadge tone="quiet" text={tokensTexts.goesOn} />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
