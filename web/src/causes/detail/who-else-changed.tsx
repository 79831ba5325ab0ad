import { Text, Title } from '@mantine/core';
import type { AgentErrorGroup } from '@muster/client';
import type { Change } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { historyQuery } from '../../overview/overview-queries.ts';
import { Moment } from '../../parts/moment.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { causesTexts } from '../../texts/causes.ts';
import classes from './cause-page.module.css';

interface WhoElseChangedProps {
  readonly projectID: string;
  readonly cause: Pick<AgentErrorGroup, 'firstSeenAt' | 'regressedAt'>;
  readonly change: Change | undefined;
}

const maxListed = 4;
const maxOwn = 2;

/** Other configurations that agents got in the last day; if no change is known to have brought the cause, those before it began. */
export function WhoElseChanged({ projectID, cause, change }: WhoElseChangedProps) {
  const { data } = useQuery(historyQuery(projectID, 'day'));
  if (data === undefined) return null;
  const beganAt = cause.regressedAt ?? cause.firstSeenAt;
  const all = data.configurations.filter(({ configID, agentID, firstChangedAt }) =>
    change === undefined
      ? firstChangedAt <= beganAt
      : configID !== change.configID && agentID !== change.agentID,
  );
  // Where each agent has a configuration of its own, one line tells of all.
  const isFolded = all.filter(({ agentsCount }) => agentsCount === 1).length > maxOwn;
  const others = all.filter(({ agentsCount }) => !isFolded || agentsCount > 1).slice(0, maxListed);
  return (
    <section className={classes.else}>
      <Title order={2}>{causesTexts.whoElse}</Title>
      {isFolded && (
        <Text size="sm" c="dimmed">
          {causesTexts.ownChanges}
        </Text>
      )}
      {others.length === 0 && !isFolded && (
        <Text size="sm" c="dimmed">
          {change === undefined ? causesTexts.nobodyBefore : causesTexts.nobodyElse}
        </Text>
      )}
      <ul className={classes.others} hidden={others.length === 0}>
        {others.map(({ configID, agentID, agentName, agentsCount, firstChangedAt }) => (
          <li key={configID}>
            {causesTexts.changedAgents(agentsCount)}
            <p>
              {change !== undefined && firstChangedAt > change.configuredAt && (
                <>{causesTexts.afterwards(change.name)} </>
              )}
              <Moment at={firstChangedAt} />, {causesTexts.firstOn}{' '}
              <Link
                to="/projects/$projectID/agents/$agentID"
                params={{ projectID, agentID }}
                search={{ config: configID }}
                preload={false}
              >
                <NameText text={agentName} />
              </Link>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
