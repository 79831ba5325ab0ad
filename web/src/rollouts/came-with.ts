import type { Rollout } from '@muster/client';
import { rolloutsTexts } from '../texts/rollouts.ts';
import { isOpen } from './rollout-progress.ts';

/** What a version brought, in a few words. */
export function cameWith({ state, verdict }: Pick<Rollout, 'state' | 'verdict'>): string {
  const { cameWords } = rolloutsTexts;
  const count = verdict?.agents ?? 0;
  switch (verdict?.rule) {
    case 'new_cause':
      return cameWords.newCause(count);
    case 'unhealthy':
      return cameWords.unhealthy(count);
    case 'hard_failures':
      return cameWords.failed(count);
  }
  return isOpen({ state }) ? cameWords.soFar : cameWords.nothing;
}
