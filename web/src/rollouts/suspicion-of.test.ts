import { suspicionOf } from '@muster/contract';
import { expect, it } from 'vitest';
import { rolloutsTexts } from '../texts/rollouts.ts';

const cause = { groupID: 'port', updatedCount: 17, othersCount: 0, firstAt: '2026-03-04T14:02:00.000Z' };
const evidence = {
  at: '2026-03-04T14:02:16.000Z',
  updatedCount: 17,
  othersCount: 1_649,
  causes: [
    { ...cause, groupID: 'other', updatedCount: 1, comesWithVersion: false },
    { ...cause, comesWithVersion: true },
  ],
  failedCount: 0,
  worse: { updatedCount: 17, othersCount: 3 },
  watchedCount: 0,
  stageCount: 17,
  silentSites: [],
  agents: [],
};
const counts = { updated: 17, updatedOf: 17, othersOf: 1_649 };

it('is the cause that comes with the version, before it is settled too', () => {
  expect(suspicionOf({ isHeld: false, evidence })).toEqual({ causeID: 'port', ...counts, others: 0 });
});

it('is more agents with anything new, if the rollout is held without a single cause', () => {
  const none = { ...evidence, causes: evidence.causes.slice(0, 1) };
  expect(suspicionOf({ isHeld: true, evidence: none })).toEqual({ causeID: undefined, ...counts, others: 3 });
  expect(suspicionOf({ isHeld: false, evidence: none })).toBeUndefined();
  expect(suspicionOf({ isHeld: true, evidence: null })).toBeUndefined();
});

it.each([
  [17, 17, 'All 17 updated agents'],
  [9, 17, '9 of the 17 updated agents'],
  [1, 1, 'The one updated agent'],
])('is told of %d of %d agents', (count, all, text) => {
  expect(rolloutsTexts.heldOn(count, all)).toBe(text);
});
