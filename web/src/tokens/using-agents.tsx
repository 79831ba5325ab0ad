import { Text } from '@mantine/core';
import type { TokenUsage } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { HostileText } from '../parts/hostile-text.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { tokensTexts } from '../texts/tokens.ts';
import { stopsWithToken } from './stops-with-token.ts';
import classes from './token-page.module.css';

/** Of those that go on. */
const maxOthers = 10;

/** How many of the agents that registered with a token or report with it stop when it ends, which ones, and some of the others. */
export function UsingAgents({
  projectID,
  usage: { agents, agentsCount, stoppingAgentsCount },
}: {
  readonly projectID: string;
  readonly usage: TokenUsage;
}) {
  if (agentsCount === 0) return <Text size="sm">{tokensTexts.noAgents}</Text>;
  const stopping = agents.filter(stopsWithToken);
  const others = agents.filter((agent) => !stopsWithToken(agent)).slice(0, maxOthers);
  const moreStop = stoppingAgentsCount - stopping.length;
  const moreGoOn = agentsCount - stoppingAgentsCount - others.length;
  return (
    <>
      <Text size="sm" fw={600} mb={4} {...(stoppingAgentsCount === 0 ? {} : { c: 'var(--muster-bad)' })}>
        {tokensTexts.stopWithIt(stoppingAgentsCount, agentsCount)}
      </Text>
      {agents.length > 0 && (
        <>
          <ul className={classes.list}>
            {[...stopping, ...others].map((agent) => (
              <li key={agent.id}>
                <Link to="/projects/$projectID/agents/$agentID" params={{ projectID, agentID: agent.id }}>
                  <HostileText text={agent.name} isLine />
                </Link>
                {stopsWithToken(agent) ? (
                  <StatusBadge tone="bad" text={tokensTexts.stops} />
                ) : (
                  <StatusBadge tone="quiet" text={tokensTexts.goesOn} />
                )}
              </li>
            ))}
          </ul>
          {moreStop > 0 && <Text size="sm">{tokensTexts.moreStop(moreStop)}</Text>}
          {moreGoOn > 0 && (
            <Text size="sm" c="dimmed" mt={4}>
              {tokensTexts.moreGoOn(moreGoOn)}
            </Text>
          )}
        </>
      )}
    </>
  );
}
