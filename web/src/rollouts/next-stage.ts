import type { FreezeWindows, Rollout } from '@muster/client';
import { rolloutGate } from '@muster/contract';

/** When the next stage of a rollout begins, at the earliest. */
export type NextStage =
  | {
      readonly kind: 'begins';
      readonly number: number;
      /** ISO 8601. */
      readonly at: string;
      /** The freeze that it waits for. Undefined: none. */
      readonly freeze: string | undefined;
      /** True: only if somebody approves it. */
      readonly needsApproval: boolean;
    }
  /** All that is missing is somebody who approves it. */
  | { readonly kind: 'awaitsApproval'; readonly number: number };

export type RolloutAhead = Pick<
  Rollout,
  | 'state'
  | 'stage'
  | 'stages'
  | 'stageStartedAt'
  | 'maxPerMinute'
  | 'approval'
  | 'approvals'
  | 'verdict'
  | 'despiteFreeze'
>;

type Freezes = Pick<FreezeWindows, 'freeze' | 'nextFreeze'>;

/** Undefined: there is none, it does not begin by itself, or nobody knows when. */
export function nextStageOf(rollout: RolloutAhead, freezes: Freezes | undefined): NextStage | undefined {
  const { state, stage, stages, approval, approvals, verdict } = rollout;
  const number = stage + 1;
  if (number > stages.length) return undefined;
  if (state === 'waiting' && verdict?.rule === 'approval') return { kind: 'awaitsApproval', number };
  const needsApproval = approval === 'each_stage' && approvals.every((one) => one.stage !== number);
  if (state === 'waiting' && verdict?.rule === 'freeze' && verdict.until !== undefined)
    return { kind: 'begins', number, at: verdict.until, freeze: verdict.freeze, needsApproval };
  const passesAt = state === 'running' ? passingTime(rollout) : undefined;
  if (passesAt === undefined) return undefined;
  const thaw = rollout.despiteFreeze ? { at: passesAt, freeze: undefined } : afterFreezes(passesAt, freezes);
  return thaw && { kind: 'begins', number, ...thaw, at: new Date(thaw.at).toISOString(), needsApproval };
}

/** As many of its agents as it takes have to get the version, at its pace, and to run it for a while. */
function passingTime({ stage, stages, stageStartedAt, maxPerMinute }: RolloutAhead): number | undefined {
  const present = stages[stage - 1];
  if (present === undefined) return undefined;
  const last = Math.max(0, Math.ceil(present.agentsCount * rolloutGate.passShare) - 1);
  const paced = maxPerMinute === null ? 0 : (last / maxPerMinute) * 60_000;
  return Date.parse(stageStartedAt) + paced + present.soakSeconds * 1_000;
}

/** Undefined: a freeze of which no end is known. */
function afterFreezes(passesAt: number, freezes: Freezes | undefined) {
  let at = passesAt;
  let name: string | undefined;
  const { freeze = null, nextFreeze = null } = freezes ?? {};
  const present = freeze === null ? [] : [{ ...freeze, startsAt: undefined }];
  for (const one of [...present, ...(nextFreeze === null ? [] : [nextFreeze])]) {
    if (one.startsAt !== undefined && at < Date.parse(one.startsAt)) continue;
    if (one.endsAt === null) return undefined;
    if (at >= Date.parse(one.endsAt)) continue;
    at = Date.parse(one.endsAt);
    name = one.name;
  }
  return { at, freeze: name };
}
