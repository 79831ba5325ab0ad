import type { Rollout } from '@muster/client';
import { Moment } from '../parts/moment.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { rolloutsTexts } from '../texts/rollouts.ts';
import { CameWith } from './came-with.tsx';
import { isOpen, reachedCountOf, stopOf, toneOfState } from './rollout-progress.ts';

interface RolloutNowProps {
  readonly projectID: string;
  readonly rollout: Rollout;
  /** Of the second line. */
  readonly className: string | undefined;
}

/** How far a rollout is, or when it stopped, and below that what is known of its version. */
export function RolloutNow({ projectID, rollout, className }: RolloutNowProps) {
  const { now } = rolloutsTexts;
  const { state, stage, stages, to, from, evidence, agentsCount } = rollout;
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
            {now.stopped(to.number)} <Moment at={stopOf(rollout)} />
          </>
        }
      />
      <div className={className}>
        {now.reached(evidence === null ? 0 : reachedCountOf(evidence))}
        {state === 'reverted' && now.areBack(from.number, agentsCount.applied)}
        {state === 'reverting' && now.goBack(from.number)}
      </div>
    </>
  );
}
