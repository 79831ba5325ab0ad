import type { Rollout } from '@muster/client';
import { hasFailed } from '../rollouts/rollout-progress.ts';

/** The rollouts that stopped by themselves, if no other one of their fleet began since. @param rollouts newest first */
export function lastFailures(rollouts: readonly Rollout[]): Rollout[] {
  const seen = new Set<string>();
  return rollouts.filter((rollout) => {
    const isNewest = !seen.has(rollout.fleetID);
    seen.add(rollout.fleetID);
    return isNewest && hasFailed(rollout);
  });
}
