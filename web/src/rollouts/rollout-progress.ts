import type { Rollout } from '@muster/client';
import type { StatusTone } from '../parts/status-badge.tsx';

const dayMilliseconds = 24 * 3_600_000;

export type StageState = 'passed' | 'watching' | 'paused' | 'stopped' | 'waits' | 'notReached';

export const toneOfState: Readonly<Record<Rollout['state'], StatusTone>> = {
  running: 'accent',
  waiting: 'warning',
  paused: 'warning',
  stopped: 'bad',
  reverting: 'bad',
  reverted: 'bad',
  completed: 'good',
  superseded: 'quiet',
};

export const toneOfStage: Readonly<Record<StageState, StatusTone>> = {
  passed: 'good',
  watching: 'accent',
  paused: 'warning',
  stopped: 'bad',
  waits: 'quiet',
  notReached: 'quiet',
};

/** True: it goes on by itself, or when somebody says so. */
export function isOpen({ state }: Pick<Rollout, 'state'>): boolean {
  return state === 'running' || state === 'waiting' || state === 'paused';
}

/** True: it stopped by itself, so that its version is marked bad. */
export function hasFailed({ state, verdict }: Pick<Rollout, 'state' | 'verdict'>): boolean {
  const isStopped = state === 'stopped' || state === 'reverting' || state === 'reverted';
  return isStopped && verdict !== null && verdict.rule !== 'person';
}

/**
 * True: it goes on, or stopped by itself within a day and nothing was served since.
 *
 * @param servedAt since when the fleet serves its version; undefined: it serves none
 */
export function tellsMore(
  rollout: Pick<Rollout, 'state' | 'verdict' | 'history' | 'stageStartedAt'>,
  servedAt: string | undefined,
  now: number,
): boolean {
  if (isOpen(rollout)) return true;
  const stoppedAt = stopOf(rollout);
  return hasFailed(rollout) && Date.parse(stoppedAt) > now - dayMilliseconds && (servedAt ?? '') < stoppedAt;
}

/** When it stopped. It ends only when its agents are back. */
export function stopOf({ history, stageStartedAt }: Pick<Rollout, 'history' | 'stageStartedAt'>): string {
  return history.findLast(({ kind }) => kind === 'stopped')?.at ?? stageStartedAt;
}

/** True: the act gives the version to further agents, so that a freeze of the project forbids it. */
export function beginsStage({ stage, stages }: Pick<Rollout, 'stage' | 'stages'>, act: string): boolean {
  if (act === 'approve' || act === 'promote' || act === 'begin') return stage < stages.length;
  return act === 'resume';
}

/** When all agents of the stage may have the version, in milliseconds. Undefined: they may at once. */
export function pacedUntil({
  stage,
  stages,
  maxPerMinute,
  stageStartedAt,
}: Pick<Rollout, 'stage' | 'stages' | 'maxPerMinute' | 'stageStartedAt'>): number | undefined {
  const count = stages[stage - 1]?.agentsCount ?? 0;
  if (maxPerMinute === null || count <= maxPerMinute) return undefined;
  return Date.parse(stageStartedAt) + (count / maxPerMinute) * 60_000;
}

/** How many agents have run the version: some of them may not be heard any more. */
export function reachedCountOf({ updatedCount, agents }: NonNullable<Rollout['evidence']>): number {
  return Math.max(updatedCount, agents.length);
}

/** How many agents are neither among those with the version nor among the others: the gate compares only those that are heard. */
export function unheardCountOf({ stages, evidence }: Pick<Rollout, 'stages' | 'evidence'>): number {
  if (evidence === null) return 0;
  const all = stages.reduce((sum, { agentsCount }) => sum + agentsCount, 0);
  return Math.max(0, all - evidence.updatedCount - evidence.othersCount);
}

/** How far a rollout is with one of its stages. @param number from 1 */
export function stageStateOf(
  { state, stage, stages }: Pick<Rollout, 'state' | 'stage' | 'stages'>,
  number: number,
): StageState {
  if (state === 'completed') return number <= stages.length ? 'passed' : 'notReached';
  if (number < stage || (number === stage && state === 'waiting')) return 'passed';
  if (number > stage) return isOpen({ state }) ? 'waits' : 'notReached';
  if (state === 'running') return 'watching';
  return state === 'paused' ? 'paused' : 'stopped';
}

/** Of a stage, the share of agents that are done with it, and the share that has begun, with those. */
export function progressOfStage(
  rollout: Pick<Rollout, 'state' | 'stage' | 'stages' | 'agentsCount' | 'evidence'>,
  number: number,
): { readonly done: number; readonly begun: number } {
  const { stages, agentsCount, evidence } = rollout;
  const state = stageStateOf(rollout, number);
  if (state === 'passed') return { done: 1, begun: 1 };
  if (state === 'notReached' || state === 'waits') return { done: 0, begun: 0 };
  const before = stages.slice(0, number - 1).reduce((sum, one) => sum + one.agentsCount, 0);
  const of = Math.max(1, stages[number - 1]?.agentsCount ?? 1);
  const shareOf = (count: number) => Math.min(1, Math.max(0, count / of));
  if (state === 'stopped') {
    const reached = shareOf((evidence?.updatedCount ?? 0) - before);
    return { done: Math.min(reached, shareOf(evidence?.worse.updatedCount ?? 0)), begun: reached };
  }
  const done = shareOf(agentsCount.observed);
  return { done, begun: Math.max(done, shareOf(agentsCount.applied - before)) };
}
