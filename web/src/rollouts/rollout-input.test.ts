import { expect, it } from 'vitest';
import { newRollout, rolloutBody } from './rollout-input.ts';

const shares = ['10%', '50%', '100%'].map((agents) => ({ agents, soakSeconds: 600 }));

it('begins with one agent, and asks for nothing that nobody has chosen', () => {
  expect(rolloutBody('v2', newRollout)).toEqual({
    versionID: 'v2',
    stages: [{ agents: 1, soakSeconds: 600 }, ...shares],
  });
});

it('begins with the agents of a tag', () => {
  expect(rolloutBody('v2', { ...newRollout, canaryTag: ' canary ' }).stages).toEqual([
    { agents: { tag: 'canary' }, soakSeconds: 600 },
    ...shares,
  ]);
});

it('of one stage has no canary and nothing to approve', () => {
  const input = { ...newRollout, canaryTag: 'canary', isApproved: true, maxPerMinute: 50 };
  expect(rolloutBody('v2', { ...input, how: 'allAtOnce' })).toEqual({
    versionID: 'v2',
    stages: [{ agents: '100%', soakSeconds: 600 }],
    maxPerMinute: 50,
  });
  expect(rolloutBody('v2', input)).toMatchObject({ approval: 'each_stage', maxPerMinute: 50 });
});
