import { Title } from '@mantine/core';
import type { FreezeWindows, Rollout, Token } from '@muster/client';
import { isAboutToExpire } from '@muster/contract';
import { Link } from '@tanstack/react-router';
import { Moment } from '../parts/moment.tsx';
import { NameText } from '../parts/name-text.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { type Happening, Timeline } from '../parts/timeline.tsx';
import { useTime } from '../parts/use-time.ts';
import { type NextStage, nextStageOf } from '../rollouts/next-stage.ts';
import { comingUpTexts } from '../texts/coming-up.ts';
import classes from './overview-page.module.css';

const maxListed = 5;
type NextBeginning = Extract<NextStage, { kind: 'begins' }>;

const soonMilliseconds = 60 * 24 * 3_600_000;

interface ComingUpListProps {
  readonly projectID: string;
  /** Undefined: they are not known. */
  readonly freezes: FreezeWindows | undefined;
  readonly rollouts: readonly Rollout[];
  readonly tokens: readonly Token[];
}

/** What will happen by itself within two months, the soonest first. Nothing if nothing will. */
export function ComingUpList({ projectID, freezes, rollouts, tokens }: ComingUpListProps) {
  const now = useTime();
  const all = [
    ...(freezes === undefined ? [] : happeningsOfFreezes(freezes)),
    ...rollouts.flatMap((rollout) => happeningOfRollout(rollout, freezes, now)),
    // Those that expire so soon that they need attention stand there.
    ...tokens
      .filter((token) => !isAboutToExpire(token, now))
      .flatMap((token) => happeningOfToken(projectID, token)),
  ]
    .filter(({ at, when }) => {
      const ahead = Date.parse(at) - now;
      return when !== undefined || (ahead > 0 && ahead < soonMilliseconds);
    })
    .sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
    .slice(0, maxListed);
  if (all.length === 0) return null;
  return (
    <section className={classes.next}>
      <div className={classes.heading}>
        <Title order={2}>{comingUpTexts.title}</Title>
      </div>
      <Timeline happenings={all} isAhead />
    </section>
  );
}

function happeningsOfFreezes({ freeze, nextFreeze }: FreezeWindows): readonly Happening[] {
  const ends: Happening[] =
    freeze === null || freeze.endsAt === null
      ? []
      : [
          {
            key: 'thaw',
            at: freeze.endsAt,
            tone: 'good',
            text: comingUpTexts.thawed,
            more: <bdi>{comingUpTexts.freeze(freeze.name)}</bdi>,
          },
        ];
  if (nextFreeze === null) return ends;
  const begins: Happening = {
    key: 'freeze',
    at: nextFreeze.startsAt,
    tone: 'quiet',
    text:
      nextFreeze.endsAt === null ? (
        comingUpTexts.frozen
      ) : (
        <>
          {comingUpTexts.frozenUntil} <Moment at={nextFreeze.endsAt} />
        </>
      ),
    more: <bdi>{comingUpTexts.freeze(nextFreeze.name)}</bdi>,
  };
  return [...ends, begins];
}

/** Its next stage, if it begins by itself or waits for somebody. */
function happeningOfRollout(rollout: Rollout, freezes: FreezeWindows | undefined, now: number) {
  const { id: rolloutID, projectID, fleetID, fleetName, to, stages } = rollout;
  const next = nextStageOf(rollout, freezes);
  if (next === undefined) return [];
  const text = (
    <>
      {comingUpTexts.stage(next.number, stages.length)}{' '}
      <Link
        to="/projects/$projectID/fleets/$fleetID/rollouts/$rolloutID"
        params={{ projectID, fleetID, rolloutID }}
        preload={false}
      >
        {comingUpTexts.version(to.number)}
      </Link>{' '}
      {comingUpTexts.on} <NameText text={fleetName} />
    </>
  );
  const happening: Happening =
    next.kind === 'awaitsApproval'
      ? {
          key: rolloutID,
          at: new Date(now).toISOString(),
          when: comingUpTexts.now,
          tone: 'warning',
          text,
          more: comingUpTexts.awaitsApproval,
        }
      : { key: rolloutID, at: next.at, tone: 'accent', text, more: <Earliest next={next} /> };
  return [happening];
}

function Earliest({ next: { at, freeze, needsApproval } }: { readonly next: NextBeginning }) {
  return (
    <>
      {freeze === undefined ? (
        comingUpTexts.atTheEarliest
      ) : (
        <>
          {comingUpTexts.afterFreeze} <bdi>{comingUpTexts.freezeName(freeze)}</bdi> {comingUpTexts.endsAt}{' '}
          <Moment at={at} />
        </>
      )}
      {needsApproval && comingUpTexts.ifApproved}
    </>
  );
}

function happeningOfToken(
  projectID: string,
  { id: tokenID, name, expiresAt, lastUsedAt }: Token,
): readonly Happening[] {
  if (expiresAt === null) return [];
  const text = (
    <>
      {comingUpTexts.token}{' '}
      <Link to="/projects/$projectID/tokens/$tokenID" params={{ projectID, tokenID }} preload={false}>
        <NameText text={name} />
      </Link>{' '}
      {comingUpTexts.expires}
    </>
  );
  const more =
    lastUsedAt === null ? (
      comingUpTexts.neverUsed
    ) : (
      <>
        {comingUpTexts.lastUsed} <RelativeTime at={lastUsedAt} />
      </>
    );
  return [{ key: tokenID, at: expiresAt, tone: 'warning', text, more }];
}
