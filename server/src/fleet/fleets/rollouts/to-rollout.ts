import type { Rollout, RolloutAgent } from '@muster/contract';
import { toNullableTimestamp, toTimestamp } from '../../../foundation/clock.ts';
import { stateOf } from '../fleet-agent-state.ts';
import { readEvidenceKept } from './describe-evidence.ts';
import { historyOf } from './rollout-history.ts';
import type { DescribedRollout } from './rollout-service.ts';
import { approvalsOf, stagesOf } from './rollout-stages.ts';
import type { ListedRolloutAgent, RolloutRow } from './rollout-store.ts';
import { readVerdict } from './rollout-verdict.ts';

export function toRollout({ row, progress, evidence }: DescribedRollout): Rollout {
  return {
    id: row.id,
    projectID: row.project_id,
    fleetID: row.fleet_id,
    fleetName: row.fleet_name,
    fleetDeletedAt: row.fleet_deleted_at === null ? null : toTimestamp(row.fleet_deleted_at),
    from: { id: row.from_version_id, number: row.from_number },
    to: { id: row.to_version_id, number: row.to_number },
    state: row.state as Rollout['state'], // written by the service alone
    stage: row.stage + 1,
    stages: stagesOf(row).map(({ agentsCount, soakSeconds }) => ({ agentsCount, soakSeconds })),
    isHeld: row.held_until !== null,
    heldUntil: toNullableTimestamp(row.held_until),
    onFailure: row.on_failure as Rollout['onFailure'], // written by the service alone
    approval: row.approval as Rollout['approval'], // written by the service alone
    approvals: approvalsOf(row),
    maxPerMinute: row.max_per_minute,
    despiteFreeze: row.despite_freeze === 1,
    reason: row.reason,
    verdict: readVerdict(row.verdict),
    agentsCount: {
      offered: progress.offered,
      applied: progress.applied,
      rejected: progress.rejected,
      observed: progress.observed,
    },
    evidence: evidence ?? readEvidenceKept(row.evidence),
    history: historyOf(row),
    stageStartedAt: toTimestamp(row.stage_started_at),
    startedAt: toTimestamp(row.started_at),
    startedBy: {
      kind: row.started_by_kind as Rollout['startedBy']['kind'], // written by the service alone
      id: row.started_by_id,
      name: row.started_by_name,
    },
    endedAt: row.ended_at === null ? null : toTimestamp(row.ended_at),
  };
}

export function toRolloutAgent(rollout: RolloutRow, agent: ListedRolloutAgent): RolloutAgent {
  const isOffered =
    agent.offered_seconds === rollout.to_seconds || agent.applied_seconds === rollout.to_seconds;
  const state = isOffered ? stateOf(agent) : 'waiting';
  return {
    agentID: agent.id,
    name: agent.name,
    stage: (agent.stage ?? stagesOf(rollout).length - 1) + 1,
    state: state === 'unknown' ? 'waiting' : state,
    status: agent.status,
  };
}
