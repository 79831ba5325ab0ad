import type { Rollout } from '@muster/client';
import { describe, expect, it } from 'vitest';
import {
  beginsStage,
  pacedUntil,
  stageStateOf,
  stopOf,
  tellsMore,
  unheardCountOf,
} from './rollout-progress.ts';

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

it.each([
  [2, 1, 3],
  [2, 4, 0],
  // One has joined the fleet since.
  [2, 5, 0],
])(
  'with %d updated agents and %d others, %d of six agents are not compared',
  (updatedCount, othersCount, expected) => {
    const evidence = { updatedCount, othersCount } as Rollout['evidence']; // what it reads
    expect(unheardCountOf({ stages, evidence })).toBe(expected);
  },
);

describe('a rollout in the list of fleets', () => {
  const verdict = { rule: 'new_cause' } as const;
  const stop = { at: '2026-03-04T14:00:00.000Z', kind: 'stopped', stage: 2, by: null } as const;
  const stopped: Parameters<typeof tellsMore>[0] = {
    state: 'reverting',
    verdict,
    history: [stop],
    stageStartedAt: stop.at,
  };
  const [before, after] = ['2026-03-04T09:00:00.000Z', '2026-03-04T15:00:00.000Z'];
  const now = Date.parse('2026-03-04T16:00:00.000Z');

  it('stopped when its history says so, also while its agents go back', () => {
    expect(stopOf({ ...stopped, stageStartedAt: after })).toBe(stop.at);
  });

  it.each([
    ['goes on', { ...stopped, state: 'running', verdict: null }, after, now, true],
    ['stopped by itself', stopped, before, now, true],
    ['stopped by itself before another version was served', stopped, after, now, false],
    ['stopped by itself more than a day ago', stopped, before, now + 24 * 3_600_000, false],
    ['was stopped by a person', { ...stopped, verdict: { rule: 'person' } }, before, now, false],
  ] as const)('that %s', (_, rollout, servedAt, at, expected) => {
    expect(tellsMore(rollout, servedAt, at)).toBe(expected);
  });
});
