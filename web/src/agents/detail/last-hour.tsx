import { Title } from '@mantine/core';
import type { AgentWithConfig } from '@muster/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { formatDuration } from '../../parts/format-duration.ts';
import { Moment } from '../../parts/moment.tsx';
import { useTime } from '../../parts/use-time.ts';
import { agentStatusesTexts } from '../../texts/agent-statuses.ts';
import { agentsTexts } from '../../texts/agents.ts';
import { agentErrorsQuery } from '../agent-queries.ts';
import { statusTones } from '../status-tones.ts';
import pageClasses from './agent-page.module.css';
import classes from './last-hour.module.css';
import { type HourState, lastHourParts } from './last-hour-parts.ts';

/** How the agent was in the last hour, as one line. */
export function LastHour({ agent }: { readonly agent: AgentWithConfig }) {
  const { projectID, id: agentID, status } = agent;
  const { data, hasNextPage } = useInfiniteQuery(agentErrorsQuery(projectID, agentID, undefined));
  // The time of the screen is a little behind, so a state may have begun after it.
  const now = Math.max(useTime(), Date.parse(agent.statusSince));
  if (data === undefined) return null;
  const errors = data.pages.flatMap(({ items }) => items);
  const parts = lastHourParts(agent, { errors, hasAll: !hasNextPage }, now);
  const present = parts.at(-1);
  if (present === undefined) return null;
  const length = parts.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const duration = formatDuration(Math.floor(present.milliseconds / 1_000));
  return (
    <section>
      <Title order={2} mb="xs">
        {agentsTexts.lastHour}
      </Title>
      <div className={pageClasses.card}>
        <div className={classes.hour} aria-hidden="true">
          {parts.map(({ state, milliseconds }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity, and their widths change with time
            <div key={place} data-tone={toneOf(state)} style={{ flexGrow: milliseconds }} />
          ))}
        </div>
        <div className={classes.ends}>
          <Moment at={new Date(now - length).toISOString()} />
          <Moment at={new Date(now).toISOString()} />
        </div>
        <p className={classes.text}>
          {agentsTexts.hourText(agentStatusesTexts[status], parts.length === 1 ? undefined : duration)}
        </p>
      </div>
    </section>
  );
}

function toneOf(state: HourState) {
  return state === 'well' ? 'good' : state === 'before' ? 'unknown' : statusTones[state];
}
