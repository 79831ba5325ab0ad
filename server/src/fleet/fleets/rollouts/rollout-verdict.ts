import { toTimestamp } from '../../../foundation/clock.ts';
import type { Freeze } from './freeze-windows.ts';
import type { StageVerdict, StopReason } from './judge-stage.ts';
import type { StoredVerdict } from './rollout-change.ts';

const maxNamedAgents = 20;

/** Why a rollout is in its state, as it is stored and shown. */
export function describeStop(reason: StopReason): StoredVerdict {
  if (reason.rule !== 'hard_failures') return reason;
  const { rule, failures, lost } = reason;
  return {
    rule,
    agents: failures.length + lost,
    agentIDs: failures.slice(0, maxNamedAgents).map(({ agentID }) => agentID),
  };
}

export function describePause({
  reason,
  observed,
  of,
}: Extract<StageVerdict, { kind: 'pause' }>): StoredVerdict {
  return { rule: reason, agents: observed, of };
}

export function describeFreeze({ name, endsAt }: Freeze, stage: number): StoredVerdict {
  return {
    rule: 'freeze',
    stage,
    freeze: name,
    ...(endsAt !== undefined && { until: toTimestamp(endsAt) }),
  };
}

export function readVerdict(stored: string | null): StoredVerdict | null {
  return stored === null ? null : (JSON.parse(stored) as StoredVerdict); // written by the service alone
}
