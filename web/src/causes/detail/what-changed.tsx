import { Text, Title } from '@mantine/core';
import type { AgentErrorGroup } from '@muster/client';
import type { Change } from '@muster/contract';
import { Link } from '@tanstack/react-router';
import { DiffLines } from '../../agents/detail/diff-lines.tsx';
import { HostileText } from '../../parts/hostile-text.tsx';
import { Moment } from '../../parts/moment.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { causesTexts } from '../../texts/causes.ts';
import { ChangeName } from '../story/change-name.tsx';
import classes from './cause-page.module.css';

interface WhatChangedProps {
  readonly projectID: string;
  /** Its first error stands here if no change does. */
  readonly cause: Pick<AgentErrorGroup, 'example' | 'regressedAt'>;
  /** Undefined: nothing is known to have changed, or its agents run another configuration now. */
  readonly change: Change | undefined;
  /** The change with which it began, or came back. */
  readonly began: Change | undefined;
}

/** The difference of the configuration with which the cause began, with the first agent that failed with it. */
export function WhatChanged({ projectID, cause, change, began }: WhatChangedProps) {
  if (change === undefined)
    return (
      <section className={classes.changed}>
        <Title order={2}>{causesTexts.whatChanged}</Title>
        <Text size="sm" c="dimmed" mb="xs">
          {began === undefined ? (
            causesTexts.nothingChanged
          ) : (
            <>
              {causesTexts.beganWith(cause.regressedAt !== null)} <ChangeName change={began} />
              {causesTexts.othersNow(cause.regressedAt !== null)}
            </>
          )}
        </Text>
        <div className={classes.example}>
          <HostileText text={cause.example} maxLength={400} />
        </div>
      </section>
    );
  const { agentID, agentName, configID, configuredAt, lines } = change;
  const count = (kind: string) => lines.filter((line) => line.kind === kind).length;
  return (
    <section className={classes.changed}>
      <Title order={2}>{causesTexts.whatChanged}</Title>
      <div className={classes.diffHead}>
        <span>
          <strong>
            <ChangeName change={change} />
          </strong>
        </span>
        <span className="quiet">
          {causesTexts.firstOn}{' '}
          <Link
            to="/projects/$projectID/agents/$agentID"
            params={{ projectID, agentID }}
            search={{ config: configID }}
            preload={false}
          >
            <NameText text={agentName} />
          </Link>
          , <Moment at={configuredAt} />
        </span>
      </div>
      <div className={classes.diff}>
        <DiffLines lines={lines} label={causesTexts.whatChanged} />
      </div>
      <Text size="xs" c="dimmed" mt={6}>
        {causesTexts.changedLines(count('added'), count('removed'))}
      </Text>
    </section>
  );
}
