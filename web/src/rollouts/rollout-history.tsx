import { Title } from '@mantine/core';
import type { Rollout } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { MarkedText } from '../parts/marked-text.tsx';
import { NameText } from '../parts/name-text.tsx';
import { type Happening, Timeline } from '../parts/timeline.tsx';
import { rolloutsTexts } from '../texts/rollouts.ts';
import classes from './rollout-page.module.css';

const tones = {
  held: 'warning',
  released: 'good',
  passed: 'good',
  promoted: 'accent',
  waiting: 'warning',
  approved: 'accent',
  paused: 'warning',
  resumed: 'accent',
  stopped: 'bad',
  reverted: 'good',
  completed: 'good',
} as const;

/** What became of a rollout, the newest first. */
export function RolloutHistory({ rollout }: { readonly rollout: Rollout }) {
  const { projectID, history, evidence, startedAt, startedBy, from, reason, approvals } = rollout;
  const texts = rolloutsTexts.history;
  const [firstAgent] = evidence?.agents ?? [];
  const [firstCause] = (evidence?.causes ?? []).toSorted((one, other) =>
    one.firstAt.localeCompare(other.firstAt),
  );
  const happenings: Happening[] = [
    {
      key: 'started',
      at: startedAt,
      tone: 'change',
      text: (
        <>
          {texts.started} <NameText text={startedBy.name ?? rolloutsTexts.somebody} />
          <Said text={reason} />
        </>
      ),
    },
    ...(firstAgent === undefined
      ? []
      : [
          {
            key: 'applied',
            at: firstAgent.appliedAt,
            tone: 'accent' as const,
            text: (
              <>
                {texts.firstApplied}{' '}
                <Link
                  to="/projects/$projectID/agents/$agentID"
                  params={{ projectID, agentID: firstAgent.agentID }}
                  preload={false}
                >
                  <NameText text={firstAgent.name} />
                </Link>
              </>
            ),
          },
        ]),
    ...(firstCause === undefined
      ? []
      : [
          {
            key: 'reported',
            at: firstCause.firstAt,
            tone: 'bad' as const,
            text: (
              <Link
                to="/projects/$projectID/causes/$causeID"
                params={{ projectID, causeID: firstCause.groupID }}
              >
                {texts.firstReport}
              </Link>
            ),
          },
        ]),
    ...history.map(({ at, kind, stage, by }, place) => ({
      key: String(place),
      at,
      tone: tones[kind],
      text: (
        <>
          {texts.steps[kind](stage, from.number)}
          {by !== null && (
            <>
              {' '}
              {rolloutsTexts.by} <NameText text={by} />
            </>
          )}
          {kind === 'approved' && <Said text={approvals.find((one) => one.stage === stage + 1)?.reason} />}
        </>
      ),
    })),
  ];
  return (
    <section>
      <Title order={2} mb="xs">
        {texts.title}
      </Title>
      <Timeline happenings={happenings} hasSeconds />
    </section>
  );
}

/** What somebody gave as the reason. */
function Said({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <div className={classes.said}>
      “<MarkedText text={text} />”
    </div>
  );
}
