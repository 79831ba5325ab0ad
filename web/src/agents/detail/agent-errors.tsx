import { Button, Skeleton, Text, Title } from '@mantine/core';
import type { AgentError, AgentErrorGroup } from '@muster/client';
import { fillIn, realValuesOf } from '@muster/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Choice } from '../../parts/choice.tsx';
import { Command } from '../../parts/command.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { HostileText } from '../../parts/hostile-text.tsx';
import { Moment } from '../../parts/moment.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { NewsBar } from '../../table/news-bar.tsx';
import { useListRows } from '../../table/use-list-rows.ts';
import { agentsTexts } from '../../texts/agents.ts';
import { partsTexts } from '../../texts/parts.ts';
import { agentErrorsQuery } from '../agent-queries.ts';
import classes from './agent-page.module.css';

interface AgentErrorsProps {
  readonly projectID: string;
  readonly agentID: string;
  /** Of the error that the heading tells. Undefined: there is none, or it is not known. */
  readonly cause: AgentErrorGroup | undefined;
}

const dismissedOf = { open: false, dismissed: true, all: undefined } as const;
const choices = ['open', 'dismissed', 'all'] as const;

/** The errors of the agent, newest first, each with the first thing to try and who else has it. */
export function AgentErrors({ projectID, agentID, cause }: AgentErrorsProps) {
  const [choice, setChoice] = useState<(typeof choices)[number]>('open');
  const query = useInfiniteQuery(agentErrorsQuery(projectID, agentID, dismissedOf[choice]));
  const { table, newCount, takeIn } = useListRows(query, `${agentID} ${choice}`, idOf);
  const { error, hasMore, isLoadingMore, onEnd, onRetry } = table;
  // What was dismissed goes with the heading that says that the agent works.
  const rows = table.rows?.filter(({ isGone }) => !isGone);
  return (
    <section className={classes.wrong}>
      <div className={classes.heading}>
        <Title order={2}>{agentsTexts.whatIsWrong}</Title>
        <NewsBar newCount={newCount} onTakeIn={takeIn} />
        <Choice
          label={agentsTexts.errors}
          value={choice}
          onChange={setChoice}
          options={choices.map((value) => ({
            value,
            text: agentsTexts.errorChoices[value],
            // Only what has been read is counted.
            count: value === choice && !hasMore ? rows?.length : undefined,
          }))}
        />
      </div>
      {error !== null && rows === undefined && <ErrorState error={error} onRetry={onRetry} />}
      {rows === undefined && error === null && <Skeleton height={112} />}
      {rows?.length === 0 && !hasMore && newCount === 0 && (
        <Text size="sm" c="dimmed">
          {agentsTexts.noErrors}
        </Text>
      )}
      {rows !== undefined && rows.length > 0 && (
        <ul className={classes.list}>
          {rows.map(({ row }) => (
            <ErrorItem
              key={row.id}
              projectID={projectID}
              error={row}
              cause={cause?.id === row.groupID ? cause : undefined}
            />
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

interface ErrorItemProps {
  readonly projectID: string;
  readonly error: AgentError;
  readonly cause: AgentErrorGroup | undefined;
}

function ErrorItem({ projectID, error: { dismissedAt, dismissReason, ...error }, cause }: ErrorItemProps) {
  const isOpen = dismissedAt === null;
  const values = realValuesOf(error.error);
  return (
    <li>
      <div className={classes.item}>
        <HostileText text={error.error} maxLength={300} />
        <p>
          {agentsTexts.reportedTimes(error.occurrences)} {agentsTexts.sinceLabel}{' '}
          <Moment at={error.createdAt} hasSeconds />, {agentsTexts.last}{' '}
          <RelativeTime at={error.lastSeenAt} />.{' '}
          {!isOpen && (
            <>
              {agentsTexts.dismissed} <Moment at={dismissedAt} />: <bdi>{dismissReason}</bdi>.{' '}
            </>
          )}
          {isOpen && !error.current && `${agentsTexts.ofEarlier} `}
          {error.groupID !== null && (
            <Link
              to="/projects/$projectID/causes/$causeID"
              params={{ projectID, causeID: error.groupID }}
              preload={false}
            >
              {cause === undefined || cause.agentsCount < 2
                ? agentsTexts.toCause
                : agentsTexts.othersHaveIt(cause.agentsCount - 1)}
            </Link>
          )}
        </p>
      </div>
      {isOpen && values.host !== undefined && values.port !== undefined && (
        <Command command={fillIn('nc -vz HOST PORT', values)} />
      )}
    </li>
  );
}

function idOf({ id }: AgentError): string {
  return id;
}
