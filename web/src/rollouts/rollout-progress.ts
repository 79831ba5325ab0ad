import type { Rollout } from '@muster/client';
import type { StatusTone } from '../parts/status-badge.tsx';

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

/** How far a rollout is with one of its stages. @param number from 1 */
export function stageStateOf(
  { state, stage, stages }: Pick<Rollout, 'state' | 'stage' | 'stages'>,
  number: number,
): StageState {
  if (state === 'completed') return number <= stages.length ? 'passed' : 'notReached';
  if (number < stage) return 'passed';
  if (number > stage) return isOpen({ state }) ? 'waits' : 'notReached';
  if (state === 'running' || state === 'waiting') return 'watching';
  return state === 'paused' ? 'paused' : 'stopped';
}
