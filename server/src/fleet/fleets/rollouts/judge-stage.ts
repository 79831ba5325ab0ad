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

/** Which updated agents are compared with which others. */
export interface Comparison {
  sides(counts: GroupCounts): readonly [updated: number, others: number];
  /** How many of each side have a cause. */
  sidesOfCause(
    cause: Pick<CauseEvidence, 'newOn' | 'newOnEarlier'>,
  ): readonly [updated: number, others: number];
  /** When the first of the updated agents had something new, in their order. */
  firstTimes(times: FirstTimes): readonly number[];
}

/** All that have the version, and all that do not. */
const allUpdated: Comparison = {
  sides: ({ stage, earlier, control }) => [stage + earlier, control],
  sidesOfCause: ({ newOn }) => allUpdated.sides(newOn),
  firstTimes: ({ stage, earlier }) => [...stage, ...earlier].sort((one, other) => one - other),
};

/** The running stage and everybody else: agents of earlier stages have run the version for longer. */
const runningStage: Comparison = {
  sides: ({ stage, earlier, control }) => [stage, earlier + control],
  sidesOfCause: ({ newOn, newOnEarlier }) => runningStage.sides({ ...newOn, earlier: newOnEarlier }),
  firstTimes: ({ stage }) => stage,
};

/**
 * What to do with a rollout. More failures of updated agents never make it go on, and what hits updated agents and the others alike never stops it.
 * After the first stage, its agents are judged alone too: neither large earlier stages nor a few agents that stay behind hide that it is broken.
 */
export function judgeStage(evidence: StageEvidence): StageVerdict {
  const failures = findHardFailures(evidence);
  if (failures !== undefined) return { kind: 'stop', reason: failures };
  const first = findSuspicion(evidence);
  if (first !== undefined) {
    return first.until <= evidence.now
      ? { kind: 'stop', reason: first.reason }
      : { kind: 'hold', reason: first.reason, until: first.until };
  }
  return judgeProgress(evidence.stage, evidence.now);
}

function comparisonsOf({ earlier, control }: GroupCounts): readonly Comparison[] {
  if (earlier === 0) return [allUpdated];
  return control > 0 ? [allUpdated, runningStage] : [runningStage];
}

function usualComparisonOf(running: GroupCounts): Comparison {
  const [usual = allUpdated] = comparisonsOf(running);
  return usual;
}

/** What is shown: what a suspicion comes from, if there is one. */
export function shownComparison(evidence: StageEvidence): Comparison {
  return findSuspicion(evidence)?.comparison ?? usualComparisonOf(evidence.running);
}

function findHardFailures({ running, lost, stage, hardFailures }: StageEvidence): StopReason | undefined {
  const ofStage = hardFailures.filter(({ isOfStage }) => isOfStage);
  const updated = running.stage + running.earlier;
  const allowed = updated <= fewAgents ? 0 : Math.floor(updated * allowedShare);
  // One of them may be chance, however small the stage is.
  const allowedOfStage = Math.max(1, Math.floor(Math.max(running.stage, stage.agents) * allowedShare));
  const reasons = [
    { failures: hardFailures, lost: lostWithVersion({ lost, running }), allowed },
    { failures: ofStage, lost: lostBy(runningStage, { lost, running }), allowed: allowedOfStage },
  ];
  const reason = reasons.find(({ failures, lost, allowed }) => failures.length + lost > allowed);
  return reason && { rule: 'hard_failures', failures: reason.failures, lost: reason.lost };
}

/** How many updated agents fell silent. An outage of the network makes all agents fall silent: then none of them counts. */
export function lostWithVersion(evidence: Pick<StageEvidence, 'lost' | 'running'>): number {
  return lostBy(usualComparisonOf(withLost(evidence)), evidence);
}

function lostBy(comparison: Comparison, evidence: Pick<StageEvidence, 'lost' | 'running'>): number {
  const [updated, others] = comparison.sides(withLost(evidence));
  const [lostUpdated, lostOthers] = comparison.sides(evidence.lost);
  return isMoreFrequent(lostUpdated, updated, lostOthers, others) ? lostUpdated : 0;
}

/** Those that fell silent run no more: without them, nobody would be left to compare with when all others have. */
function withLost({ lost, running }: Pick<StageEvidence, 'lost' | 'running'>): GroupCounts {
  return {
    stage: running.stage + lost.stage,
    earlier: running.earlier + lost.earlier,
    control: running.control + lost.control,
  };
}

interface Suspicion {
  readonly reason: StopReason;
  readonly until: number;
  readonly comparison: Comparison;
}

function findSuspicion(evidence: StageEvidence): Suspicion | undefined {
  return [
    ...evidence.causes.flatMap((cause) => suspectCause(cause, evidence)),
    ...suspectHealth(evidence),
  ].sort((one, other) => one.until - other.until)[0];
}

/** Also before it is settled. */
export function comesWithVersion(cause: CauseEvidence, evidence: StageEvidence): boolean {
  return suspectCause(cause, evidence).length > 0;
}

function suspectCause(cause: CauseEvidence, { running, stage }: StageEvidence): Suspicion[] {
  const needed = running.earlier + stage.agents <= aloneUpTo ? 1 : 2;
  return comparisonsOf(running).flatMap((comparison) => {
    const sides = sidesWith(comparison.sidesOfCause(cause), comparison, running);
    const { count, updated, otherCount, others } = sides;
    const reachedAt = comparison.firstTimes(cause.firstAt)[needed - 1];
    if (count < needed || reachedAt === undefined) return [];
    if (!isMoreFrequent(count, updated, otherCount, others)) return [];
    if ((updated > fewAgents || sides.isSecond) && others > 0 && isChance(sides)) return [];
    const reason = { rule: 'new_cause', groupID: cause.groupID, agents: count, of: updated } as const;
    return [{ reason, until: reachedAt + settlingMilliseconds, comparison }];
  });
}

/** Agents that each have another cause, which no single one shows. */
function suspectHealth({ worse, worseFirstAt, running }: StageEvidence): Suspicion[] {
  return comparisonsOf(running).flatMap((comparison) => {
    const sides = sidesWith(comparison.sides(worse), comparison, running);
    const { count, updated, otherCount, others } = sides;
    const share = count / Math.max(updated, 1);
    const otherShare = others === 0 ? 0 : otherCount / others;
    const reachedAt = comparison.firstTimes(worseFirstAt)[1];
    const isWorse = share - otherShare > worsePoints && share >= worseFactor * otherShare;
    if (count < 2 || !isWorse || reachedAt === undefined || (sides.isSecond && isChance(sides))) return [];
    const reason = { rule: 'unhealthy', agents: count, of: updated } as const;
    return [{ reason, until: reachedAt + settlingMilliseconds, comparison }];
  });
}

interface ComparedSides {
  readonly count: number;
  readonly updated: number;
  readonly otherCount: number;
  readonly others: number;
  /** Where all updated agents are compared too, the running stage alone has to differ by more than chance however small it is. */
  readonly isSecond: boolean;
}

/** Agents that showed something may have fallen silent since, or run the version no longer, so that they are not among those that run. */
function sidesWith(
  [count, otherCount]: readonly [updated: number, others: number],
  comparison: Comparison,
  running: GroupCounts,
): ComparedSides {
  const [updated, others] = comparison.sides(running);
  const isSecond = comparison !== usualComparisonOf(running);
  return {
    count,
    updated: Math.max(updated, count),
    otherCount,
    others: Math.max(others, otherCount),
    isSecond,
  };
}

function isChance({ count, updated, otherCount, others }: ComparedSides): boolean {
  return !isSignificant(count, updated, otherCount, others);
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

/** True also if there is nobody to compare with. */
function isMoreFrequent(count: number, of: number, otherCount: number, others: number): boolean {
  if (count === 0) return false;
  return others === 0 || otherCount === 0 || count / Math.max(of, 1) >= (factor * otherCount) / others;
}
