import type { Rollout } from '@muster/client';
import { Moment } from '../parts/moment.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { rolloutsTexts } from '../texts/rollouts.ts';
import { CameWith } from './came-with.tsx';
import { hasFailed, isOpen, reachedCountOf, toneOfState } from './rollout-progress.ts';

const dayMilliseconds = 24 * 3_600_000;

/** True: it goes on, or stopped by itself within a day. */
export function tellsMore(rollout: Rollout, now: number): boolean {
  if (isOpen(rollout)) return true;
  return hasFailed(rollout) && Date.parse(rollout.endedAt ?? rollout.startedAt) > now - dayMilliseconds;
}

interface RolloutNowProps {
  readonly projectID: string;
  readonly rollout: Rollout;
  /** Of the second line. */
  readonly className: string | undefined;
}

/** How far a rollout is, or when it stopped, and below that what is known of its version. */
export function RolloutNow({ projectID, rollout, className }: RolloutNowProps) {
  const { now } = rolloutsTexts;
  const { state, stage, stages, to, from, endedAt, startedAt, evidence } = rollout;
  if (isOpen(rollout)) {
    return (
      <>
        <StatusBadge tone={toneOfState[state]} text={now.stage(to.number, stage, stages.length, state)} />
        <div className={className}>
          <CameWith projectID={projectID} rollout={rollout} />
        </div>
      </>
    );
  }
  return (
    <>
      <StatusBadge
        tone="warning"
        text={
          <>
            {now.stopped(to.number)} <Moment at={endedAt ?? startedAt} />
          </>
        }
      />
      <div className={className}>
        {now.reached(evidence === null ? 0 : reachedCountOf(evidence))}
        {state === 'reverted' && now.areBack(from.number)}
        {state === 'reverting' && now.goBack(from.number)}
      </div>
    </>
  );
}
