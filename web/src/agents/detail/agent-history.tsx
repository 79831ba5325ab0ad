import { Button, Title } from '@mantine/core';
import type { AgentConfigChange, AgentError, AgentWithConfig } from '@muster/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Choice } from '../../parts/choice.tsx';
import { ErrorLine } from '../../parts/error-line.tsx';
import { shortID } from '../../parts/short-id.ts';
import { type Happening, Timeline } from '../../parts/timeline.tsx';
import { agentStatusesTexts } from '../../texts/agent-statuses.ts';
import { agentsTexts } from '../../texts/agents.ts';
import { partsTexts } from '../../texts/parts.ts';
import { agentErrorsQuery, configChangesQuery } from '../agent-queries.ts';
import { statusTones } from '../status-tones.ts';
import classes from './agent-page.module.css';

interface AgentHistoryProps {
  readonly projectID: string;
  readonly agent: AgentWithConfig;
}

const choices = ['all', 'errors', 'configurations'] as const;

/** What the agent reported and which configurations it got, in one line of time. */
export function AgentHistory({ projectID, agent }: AgentHistoryProps) {
  const [choice, setChoice] = useState<(typeof choices)[number]>('all');
  const errors = useInfiniteQuery(agentErrorsQuery(projectID, agent.id, undefined));
  const configs = useInfiniteQuery(configChangesQuery(projectID, agent.id));
  const lists = [...(choice === 'configurations' ? [] : [errors]), ...(choice === 'errors' ? [] : [configs])];
  const listedErrors = errors.data?.pages.flatMap(({ items }) => items) ?? [];
  const listedConfigs = configs.data?.pages.flatMap(({ items }) => items) ?? [];
  const longer = lists.filter(({ hasNextPage }) => hasNextPage);
  // What is older than the end of a list that goes on stands among what has not been read.
  const since = longer
    .map(({ data }) => data?.pages.at(-1)?.items.at(-1)?.createdAt ?? '')
    .reduce((latest, at) => (at > latest ? at : latest), '');
  const all = [
    { key: 'registered', at: agent.createdAt, tone: 'quiet' as const, text: agentsTexts.registered },
    ...(choice === 'errors'
      ? []
      : listedConfigs.map((change) => happeningOfConfig(projectID, agent.id, change))),
    ...(choice === 'configurations' ? [] : listedErrors.flatMap(happeningsOfError)),
    ...statusOf(agent),
  ].filter(({ at }) => at >= since);
  return (
    <section>
      <div className={classes.heading}>
        <Title order={2}>{agentsTexts.whatHappened}</Title>
        <Choice
          label={agentsTexts.whatHappened}
          value={choice}
          onChange={setChoice}
          options={choices.map((value) => ({ value, text: agentsTexts.historyChoices[value] }))}
        />
      </div>
      <Timeline happenings={all} />
      {longer.length > 0 && (
        <Button
          variant="default"
          size="compact-sm"
          loading={longer.some(({ isFetchingNextPage }) => isFetchingNextPage)}
          onClick={() => longer.forEach(({ fetchNextPage }) => void fetchNextPage())}
        >
          {partsTexts.showMore}
        </Button>
      )}
    </section>
  );
}

function happeningOfConfig(
  projectID: string,
  agentID: string,
  { configID, createdAt, current, cameCount, wentCount }: AgentConfigChange,
): Happening {
  return {
    key: configID,
    at: createdAt,
    tone: 'change',
    text: (
      <>
        {agentsTexts.changedTo}{' '}
        <Link
          to="/projects/$projectID/agents/$agentID"
          params={{ projectID, agentID }}
          search={{ config: configID }}
          replace
          resetScroll={false}
          preload={false}
        >
          {agentsTexts.configuration} <code>{shortID(configID)}</code>
        </Link>
      </>
    ),
    more: [agentsTexts.causesChanged(cameCount, wentCount), ...(current ? [agentsTexts.isCurrent] : [])].join(
      ', ',
    ),
  };
}

function happeningsOfError({
  id,
  error,
  createdAt,
  occurrences,
  dismissedAt,
  dismissReason,
}: AgentError): readonly Happening[] {
  const text = <ErrorLine text={error} />;
  const began: Happening = {
    key: id,
    at: createdAt,
    tone: 'bad',
    text,
    more: agentsTexts.reportedTimes(occurrences),
  };
  if (dismissedAt === null) return [began];
  const more = (
    <>
      {agentsTexts.dismissed}: <bdi>{dismissReason}</bdi>
    </>
  );
  return [began, { key: `${id} dismissed`, at: dismissedAt, tone: 'good', text, more }];
}

/** Its present state, if nothing else in the line says it. */
function statusOf({
  status,
  statusSince,
  statusReason,
  openError,
  createdAt,
}: AgentWithConfig): readonly Happening[] {
  if (openError !== null || statusSince === createdAt) return [];
  const text = agentStatusesTexts[status];
  return [
    { key: 'status', at: statusSince, tone: statusTones[status], text, more: statusReason ?? undefined },
  ];
}
