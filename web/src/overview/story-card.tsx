import { Button, Skeleton, Title } from '@mantine/core';
import type { AgentErrorGroup } from '@muster/client';
import { type Change, predicateOf, realValuesOf } from '@muster/contract';
import { Link } from '@tanstack/react-router';
import { DiffLines } from '../agents/detail/diff-lines.tsx';
import { excerptOf } from '../agents/detail/mark-changes.ts';
import { CauseActions } from '../causes/story/cause-actions.tsx';
import { ChangeName } from '../causes/story/change-name.tsx';
import { LevelChart } from '../causes/story/level-chart.tsx';
import { SinceLine } from '../causes/story/since-line.tsx';
import { SpreadSentence } from '../causes/story/spread-sentence.tsx';
import { useStory } from '../causes/story/use-story.ts';
import { rangeSince } from '../chart/chart-range.ts';
import { formatShare } from '../parts/amount.ts';
import { HostileText } from '../parts/hostile-text.tsx';
import { Moment } from '../parts/moment.tsx';
import { NameText } from '../parts/name-text.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { causesTexts } from '../texts/causes.ts';
import { overviewTexts } from '../texts/overview.ts';
import classes from './story-card.module.css';

interface StoryCardProps {
  readonly projectID: string;
  readonly cause: AgentErrorGroup;
}

const excerptLines = 8;

/** What is going on, in sentences: how many agents, what, since when and after what, with the difference and how it spread. */
export function StoryCard({ projectID, cause }: StoryCardProps) {
  const { origin, change, isPending } = useStory(projectID, cause);
  const { agentsCount, agentsShare } = cause;
  return (
    <section className={classes.story} aria-label={overviewTexts.goingOn}>
      <div className={classes.head}>
        <div className={classes.sentences}>
          <p className={classes.since}>
            <StatusBadge
              tone="bad"
              text={
                <span>
                  <SinceLine cause={cause} change={change} />
                </span>
              }
            />
          </p>
          <Title order={1} tabIndex={-1}>
            {causesTexts.headline(agentsCount, formatShare(agentsShare), predicateOf(cause, agentsCount))}
          </Title>
          <p className={classes.spread}>
            {origin === undefined ? (
              '\u00a0'
            ) : (
              <SpreadSentence projectID={projectID} origin={origin} change={change} cause={cause} />
            )}
          </p>
        </div>
        <div className={classes.actions}>
          <Button component={Link} to={`/projects/${projectID}/causes/${cause.id}`}>
            {overviewTexts.seeWhy}
          </Button>
          <CauseActions projectID={projectID} cause={cause} />
        </div>
      </div>
      <div className={classes.evidence}>
        <div>
          {isPending ? (
            <Skeleton height={190} />
          ) : (
            <WhatChanged projectID={projectID} cause={cause} change={change} />
          )}
        </div>
        <div>
          <div className={classes.partHead}>
            <h2>{causesTexts.agentsWithCause}</h2>
          </div>
          <LevelChart
            projectID={projectID}
            cause={cause}
            change={change}
            range={rangeSince(Date.parse(cause.regressedAt ?? cause.firstSeenAt), Date.now())}
            height={140}
            isShort
          />
        </div>
      </div>
    </section>
  );
}

interface WhatChangedProps extends StoryCardProps {
  readonly change: Change | undefined;
}

function WhatChanged({ projectID, cause, change }: WhatChangedProps) {
  if (change === undefined)
    return (
      <>
        <div className={classes.partHead}>
          <h2>{overviewTexts.firstError}</h2>
        </div>
        <div className={classes.example}>
          <HostileText text={cause.example} maxLength={300} />
        </div>
      </>
    );
  const { agentID, agentName, configID, configuredAt, lines } = change;
  const { host, port, path } = realValuesOf(cause.example);
  const wanted = [port, host, path].filter((value) => value !== undefined);
  return (
    <>
      <div className={classes.partHead}>
        <h2>{causesTexts.whatChanged}</h2>
        <span>
          <ChangeName change={change} />, {causesTexts.firstOn}{' '}
          <Link
            to="/projects/$projectID/agents/$agentID"
            params={{ projectID, agentID }}
            search={{ config: configID }}
            preload={false}
          >
            <NameText text={agentName} />
          </Link>{' '}
          {causesTexts.at} <Moment at={configuredAt} />
        </span>
      </div>
      <DiffLines lines={excerptOf(lines, wanted, excerptLines)} label={causesTexts.whatChanged} />
    </>
  );
}
