import { rolloutGate } from '@muster/contract';
import { isSignificant } from './is-significant.ts';
import type { CauseEvidence, FirstTimes, GroupCounts, HardFailure, StageEvidence } from './stage-evidence.ts';

/** Why a rollout stops by itself. */
export type StopReason =
  | { readonly rule: 'hard_failures'; readonly failures: readonly HardFailure[]; readonly lost: number }
  | { readonly rule: 'new_cause'; readonly groupID: string; readonly agents: number; readonly of: number }
  | { readonly rule: 'unhealthy'; readonly agents: number; readonly of: number };

export type StageVerdict =
  | { readonly kind: 'stop'; readonly reason: StopReason }
  /** Nobody further gets the version until this is settled. */
  | { readonly kind: 'hold'; readonly reason: StopReason; readonly until: number }
  | { readonly kind: 'pass' }
  /** The last stage ends, though these agents did not show that they work. */
  | { readonly kind: 'pass_with_pending'; readonly pending: number }
  | {
      readonly kind: 'pause';
      readonly reason: 'not_enough_evidence' | 'silent_sites';
      readonly observed: number;
      readonly of: number;
    }
  | { readonly kind: 'wait' };

/**
 * For how long a suspicion holds a rollout before it stops it. The first agents that are updated are often the first to meet an outage, and in
 * this time the others meet it too.
 */
export const settlingMilliseconds = 60_000;

const { fewAgents, allowedShare, aloneUpTo, factor, worsePoints, worseFactor, passShare } = rolloutGate;
const lastPassShare = 0.95;
/** A stage that has not passed after so many times its soak waits for a person. */
const patience = 3;

/**
 * What to do with a rollout. More failures of updated agents never make it go on, and what hits updated agents and the others alike never stops it. In the
 * last stage there are no others: the agents of earlier stages, which have run the version for longer, are compared with it.
 */
export function judgeStage(evidence: StageEvidence): StageVerdict {
  const failures = findHardFailures(evidence);
  if (failures !== undefined) return { kind: 'stop', reason: failures };
  const suspicions = [
    ...evidence.causes.flatMap((cause) => suspectCause(cause, evidence)),
    ...suspectHealth(evidence),
  ];
  const first = suspicions.sort((one, other) => one.until - other.until)[0];
  if (first !== undefined) {
    return first.until <= evidence.now
      ? { kind: 'stop', reason: first.reason }
      : { kind: 'hold', reason: first.reason, until: first.until };
  }
  return judgeProgress(evidence.stage, evidence.now);
}

function findHardFailures(evidence: StageEvidence): StopReason | undefined {
  const { hardFailures: failures, running } = evidence;
  const [updated] = sidesOf(running);
  const lost = lostWithVersion(evidence);
  const allowed = updated <= fewAgents ? 0 : Math.floor(updated * allowedShare);
  return failures.length + lost > allowed ? { rule: 'hard_failures', failures, lost } : undefined;
}

/** How many updated agents fell silent. An outage of the network makes all agents fall silent: then none of them counts. */
export function lostWithVersion({ lost, running }: StageEvidence): number {
  // Those that fell silent run no more: without them, nobody would be left to compare with when all others have.
  const all: GroupCounts = {
    stage: running.stage + lost.stage,
    earlier: running.earlier + lost.earlier,
    control: running.control + lost.control,
  };
  const [updated, others] = sidesOf(all);
  const [lostUpdated, lostOthers] = sidesOf(lost, all);
  return isMoreFrequent(lostUpdated, updated, lostOthers, others) ? lostUpdated : 0;
}

interface Suspicion {
  readonly reason: StopReason;
  readonly until: number;
}

/** Also before it is settled. */
export function comesWithVersion(cause: CauseEvidence, evidence: StageEvidence): boolean {
  return suspectCause(cause, evidence).length > 0;
}

function suspectCause(
  { groupID, newOn, newOnEarlier, firstAt }: CauseEvidence,
  { running, stage }: StageEvidence,
): Suspicion[] {
  const [updated, others] = sidesOf(running);
  const [count, otherCount] = causeCounts({ newOn, newOnEarlier }, running);
  const needed = running.earlier + stage.agents <= aloneUpTo ? 1 : 2;
  const reachedAt = firstTimes(firstAt, running)[needed - 1];
  if (count < needed || reachedAt === undefined) return [];
  if (!isMoreFrequent(count, updated, otherCount, others)) return [];
  if (updated > fewAgents && others > 0 && !isSignificant(count, updated, otherCount, others)) return [];
  return [
    {
      // An agent that has the cause may no longer be among those that run the version.
      reason: { rule: 'new_cause', groupID, agents: count, of: Math.max(updated, count) },
      until: reachedAt + settlingMilliseconds,
    },
  ];
}

/** Agents that each have another cause, which no single one shows. */
function suspectHealth({ worse, worseFirstAt, running }: StageEvidence): Suspicion[] {
  const [updated, others] = sidesOf(running);
  const [count, otherCount] = sidesOf(worse, running);
  const share = count / Math.max(updated, 1);
  const otherShare = others === 0 ? 0 : otherCount / others;
  const reachedAt = firstTimes(worseFirstAt, running)[1];
  const isWorse = share - otherShare > worsePoints && share >= worseFactor * otherShare;
  if (count < 2 || !isWorse || reachedAt === undefined) return [];
  return [
    {
      reason: { rule: 'unhealthy', agents: count, of: Math.max(updated, count) },
      until: reachedAt + settlingMilliseconds,
    },
  ];
}

function judgeProgress(stage: StageEvidence['stage'], now: number): StageVerdict {
  const { agents, observed, isLast } = stage;
  const isLate =
    now - stage.startedAt - stage.unseenMilliseconds - stage.pacedMilliseconds >
    patience * stage.soakMilliseconds;
  if (stage.silentSites.length > 0)
    return isLate ? { kind: 'pause', reason: 'silent_sites', observed, of: agents } : { kind: 'wait' };
  // Without a single agent that shows it, nothing is known.
  const isEnough = observed > 0 && observed >= agents * (isLast ? lastPassShare : passShare);
  if (isEnough) return { kind: 'pass' };
  if (!isLate) return { kind: 'wait' };
  return isLast && observed > 0
    ? { kind: 'pass_with_pending', pending: agents - observed }
    : { kind: 'pause', reason: 'not_enough_evidence', observed, of: agents };
}

/** The updated agents, and those that they are compared with. */
export function sidesOf(
  counts: GroupCounts,
  running: GroupCounts = counts,
): [updated: number, others: number] {
  return hasControls(running)
    ? [counts.stage + counts.earlier, counts.control]
    : [counts.stage, counts.earlier];
}

/** How many updated agents have a cause, and how many of those that they are compared with. */
export function causeCounts(
  { newOn, newOnEarlier }: Pick<CauseEvidence, 'newOn' | 'newOnEarlier'>,
  running: GroupCounts,
): [updated: number, others: number] {
  return hasControls(running) ? [newOn.stage + newOn.earlier, newOn.control] : [newOn.stage, newOnEarlier];
}

/** When the first of the updated agents that count had something new, in their order. */
export function firstTimes({ stage, earlier }: FirstTimes, running: GroupCounts): readonly number[] {
  return hasControls(running) ? [...stage, ...earlier].sort((one, other) => one - other) : stage;
}

/** Also true if nobody is left at all, so that all updated agents count. */
function hasControls({ control, earlier }: GroupCounts): boolean {
  return control > 0 || earlier === 0;
}

/** True also if there is nobody to compare with. */
function isMoreFrequent(count: number, of: number, otherCount: number, others: number): boolean {
  if (count === 0) return false;
  return others === 0 || otherCount === 0 || count / Math.max(of, 1) >= (factor * otherCount) / others;
}
