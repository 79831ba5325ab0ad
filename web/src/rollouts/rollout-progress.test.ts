import { expect, it } from 'vitest';
import { beginsStage, pacedUntil, stageStateOf } from './rollout-progress.ts';

const stages = [1, 2, 3].map((agentsCount) => ({ agentsCount, soakSeconds: 600 }));

it.each([
  ['running', 2, ['passed', 'watching', 'waits']],
  ['waiting', 2, ['passed', 'passed', 'waits']],
  ['paused', 2, ['passed', 'paused', 'waits']],
  ['stopped', 1, ['stopped', 'notReached', 'notReached']],
  ['reverted', 2, ['passed', 'stopped', 'notReached']],
  ['superseded', 2, ['passed', 'stopped', 'notReached']],
  ['completed', 3, ['passed', 'passed', 'passed']],
] as const)('the stages of a rollout that is %s in stage %d', (state, stage, expected) => {
  expect(stages.map((_, index) => stageStateOf({ state, stage, stages }, index + 1))).toEqual(expected);
});

it.each([
  ['approve', 1, true],
  ['promote', 3, false],
  ['resume', 3, true],
  ['pause', 1, false],
  ['revert', 1, false],
] as const)('%s in stage %d of three gives the version to further agents: %s', (act, stage, expected) => {
  expect(beginsStage({ stage, stages }, act)).toBe(expected);
});

it.each([
  [null, undefined],
  [250, undefined],
  [100, '2026-03-04T14:04:30.000Z'],
] as const)('250 agents at %s a minute have it at %s', (maxPerMinute, expected) => {
  const until = pacedUntil({
    stage: 1,
    stages: [{ agentsCount: 250, soakSeconds: 600 }],
    maxPerMinute,
    stageStartedAt: '2026-03-04T14:02:00.000Z',
  });
  expect(until && new Date(until).toISOString()).toBe(expected);
});
