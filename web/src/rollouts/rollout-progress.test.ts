import { expect, it } from 'vitest';
import { stageStateOf } from './rollout-progress.ts';

const stages = [1, 2, 3].map((agentsCount) => ({ agentsCount, soakSeconds: 600 }));

it.each([
  ['running', 2, ['passed', 'watching', 'waits']],
  ['paused', 2, ['passed', 'paused', 'waits']],
  ['stopped', 1, ['stopped', 'notReached', 'notReached']],
  ['reverted', 2, ['passed', 'stopped', 'notReached']],
  ['superseded', 2, ['passed', 'stopped', 'notReached']],
  ['completed', 3, ['passed', 'passed', 'passed']],
] as const)('the stages of a rollout that is %s in stage %d', (state, stage, expected) => {
  expect(stages.map((_, index) => stageStateOf({ state, stage, stages }, index + 1))).toEqual(expected);
});
