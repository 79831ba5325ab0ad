import type { Rollout } from '@muster/contract';
import { toTimestamp } from '../../../foundation/clock.ts';
import type { AuditActor } from '../../../record/audit/audit-service.ts';
import type { RolloutChange } from './rollout-change.ts';
import { stagesOf } from './rollout-stages.ts';
import type { RolloutRow } from './rollout-store.ts';

type RolloutStep = Rollout['history'][number];

/** A rollout that is paused and resumed again and again has no end. */
const maxSteps = 200;

export function historyOf({ history }: Pick<RolloutRow, 'history'>): RolloutStep[] {
  return JSON.parse(history) as RolloutStep[]; // written by the service alone
}

/** Since when the agents of the running stage get the version. That it was paused and resumed makes no difference. */
export function stageBeganAt(row: Pick<RolloutRow, 'history' | 'stage' | 'started_at'>): number {
  const began = historyOf(row).findLast(({ kind, stage }) => stage === row.stage && beginsNext(kind));
  return began === undefined ? row.started_at : Date.parse(began.at);
}

function beginsNext(kind: RolloutStep['kind']): boolean {
  return kind === 'passed' || kind === 'promoted' || kind === 'approved';
}

/** The history with what becomes of the rollout now. */
export function withStep(row: RolloutRow, actor: AuditActor, change: RolloutChange, now: number): string {
  const step: RolloutStep = {
    at: toTimestamp(now),
    kind: kindOf(row, change),
    stage: row.stage + 1,
    by: actor.kind === 'system' || !('name' in actor) ? null : actor.name,
  };
  return JSON.stringify([...historyOf(row), step].slice(-maxSteps));
}

function kindOf(row: RolloutRow, change: RolloutChange): RolloutStep['kind'] {
  switch (change.kind) {
    case 'hold':
      return change.until === null ? 'released' : 'held';
    case 'pause':
      return 'paused';
    case 'wait':
      return 'waiting';
    case 'approve':
      return 'approved';
    case 'resume':
      return 'resumed';
    case 'stop':
      return 'stopped';
    case 'reverted':
      return 'reverted';
    case 'promote':
      if (row.stage + 1 === stagesOf(row).length) return 'completed';
      return change.verdict?.rule === 'person' ? 'promoted' : 'passed';
  }
}
