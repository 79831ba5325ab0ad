import type { Rollout } from '@muster/client';
import { rolloutsTexts } from '../texts/rollouts.ts';

/** In a sentence, why a rollout goes on, waits or has ended. */
export function verdictOf({ state, verdict, isHeld, agentsCount, history }: VerdictParts): string {
  const { verdicts } = rolloutsTexts;
  if (isHeld) return verdicts.held;
  if (verdict === null) {
    if (state === 'running') return verdicts.running(agentsCount.applied);
    if (state === 'completed') return verdicts.completed(agentsCount.applied);
    return state === 'superseded' ? verdicts.superseded : verdicts.stopped;
  }
  const { rule, agents = 0, of, stage = 0, freeze = '', reason = '' } = verdict;
  const who = rolloutsTexts.who(agents, of);
  switch (rule) {
    case 'person':
      return verdicts.person(
        history.find(({ kind, by }) => kind === 'stopped' && by !== null)?.by ?? rolloutsTexts.somebodyDid,
        reason,
      );
    case 'hard_failures':
      return verdicts.hardFailures(who);
    case 'new_cause':
      return verdicts.newCause(who);
    case 'unhealthy':
      return verdicts.unhealthy(who);
    case 'not_enough_evidence':
      return verdicts.notEnough(who);
    case 'silent_sites':
      return verdicts.silentSites;
    case 'freeze':
      return verdicts.freeze(stage, freeze);
    case 'approval':
      return verdicts.approval(stage);
    case 'pending':
      return verdicts.pending(who);
  }
}

type VerdictParts = Pick<Rollout, 'state' | 'verdict' | 'isHeld' | 'agentsCount' | 'history'>;
