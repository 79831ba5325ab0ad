import type { Fleet, Rollout } from '@muster/client';
import { hasFailed, stopOf } from '../rollouts/rollout-progress.ts';

/** The rollouts that stopped by themselves, if their fleet serves nothing newer. @param rollouts the newest one of each fleet */
export function lastFailures(
  rollouts: readonly Rollout[],
  fleets: readonly Pick<Fleet, 'id' | 'currentVersion'>[],
): Rollout[] {
  const servedAt = new Map(fleets.map(({ id, currentVersion }) => [id, currentVersion?.publishedAt ?? '']));
  return rollouts.filter(
    (rollout) => hasFailed(rollout) && (servedAt.get(rollout.fleetID) ?? '') < stopOf(rollout),
  );
}
