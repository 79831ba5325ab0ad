import { Button, Group, SegmentedControl, Skeleton, Text, Title } from '@mantine/core';
import type { AgentError } from '@muster/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorState } from '../../parts/error-state.tsx';
import { HostileText } from '../../parts/hostile-text.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { NewsBar } from '../../table/news-bar.tsx';
import { useListRows } from '../../table/use-list-rows.ts';
import { agentsTexts } from '../../texts/agents.ts';
import { partsTexts } from '../../texts/parts.ts';
import { agentErrorsQuery } from '../agent-queries.ts';
import classes from './agent-page.module.css';

interface AgentErrorsProps {
  readonly projectID: string;
  readonly agentID: string;
}

const dismissedOf = { open: false, dismissed: true, all: undefined } as const;
type Choice = keyof typeof dismissedOf;

/** The errors of the agent, newest first. */
export function AgentErrors({ projectID, agentID }: AgentErrorsProps) {
  const [choice, setChoice] = useState<Choice>('open');
  const query = useInfiniteQuery(agentErrorsQuery(projectID, agentID, dismissedOf[choice]));
  const { table, newCount, takeIn } = useListRows(query, `${agentID} ${choice}`, idOf);
  const { rows, error, hasMore, isLoadingMore, onEnd, onRetry } = table;
  return (
    <section>
      <Group gap="sm" mih="2.25rem">
        <Title order={2}>{agentsTexts.errors}</Title>
        <SegmentedControl
          size="xs"
          aria-label={agentsTexts.errors}
          value={choice}
          onChange={(value) => setChoice(value as Choice)} // one of the options below
          data={Object.entries(agentsTexts.errorChoices).map(([value, label]) => ({ value, label }))}
        />
        <NewsBar newCount={newCount} onTakeIn={takeIn} />
      </Group>
      {error !== null && rows === undefined && <ErrorState error={error} onRetry={onRetry} />}
      {rows === undefined && error === null && <Skeleton height={180} mt="xs" />}
      {rows?.length === 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {agentsTexts.noErrors}
        </Text>
      )}
      {rows !== undefined && rows.length > 0 && (
        <ul className={classes.list}>
          {rows.map(({ row }) => (
            <li key={row.id} className={classes.item}>
              <HostileText text={row.error} maxLength={300} />
              <ErrorMarks projectID={projectID} error={row} />
            </li>
          ))}
        </ul>
      )}
      {hasMore && (
        <Button variant="default" size="compact-sm" mt="xs" loading={isLoadingMore} onClick={onEnd}>
          {partsTexts.showMore}
        </Button>
      )}
    </section>
  );
}

interface ErrorMarksProps {
  readonly projectID: string;
  readonly error: AgentError;
}

function ErrorMarks({ projectID, error }: ErrorMarksProps) {
  const { groupID, dismissedAt, dismissReason, occurrences, lastSeenAt, current } = error;
  return (
    <div className={classes.marks}>
      <StatusBadge
        tone={dismissedAt === null ? 'bad' : 'good'}
        text={dismissedAt === null ? agentsTexts.errorChoices.open : agentsTexts.errorChoices.dismissed}
      />
      <span>{agentsTexts.reportedTimes(occurrences)}</span>
      <RelativeTime at={lastSeenAt} />
      {groupID !== null && (
        <Link
          to="/projects/$projectID/causes/$causeID"
          params={{ projectID, causeID: groupID }}
          preload={false}
        >
          {agentsTexts.toCause}
        </Link>
      )}
      {!current && <span>{agentsTexts.ofEarlier}</span>}
      {dismissReason !== null && (
        <span>
          {agentsTexts.dismissedBecause} <bdi>{dismissReason}</bdi>
        </span>
      )}
    </div>
  );
}

function idOf({ id }: AgentError): string {
  return id;
}
