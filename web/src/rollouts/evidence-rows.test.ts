import { expect, it } from 'vitest';
import { evidenceRows } from './evidence-rows.ts';

type Evidence = Parameters<typeof evidenceRows>[1];

const evidence: Evidence = {
  at: '2026-03-04T14:03:06.000Z',
  updatedCount: 100,
  othersCount: 100,
  causes: [],
  failedCount: 0,
  worse: { updatedCount: 0, othersCount: 0 },
  watchedCount: 90,
  stageCount: 100,
  silentSites: [],
  agents: [],
};
const stages = [{ agentsCount: 100, soakSeconds: 120 }];
const running = { state: 'running', stage: 1, stages } as const;

it.each([
  ['came with the version', 40, 0, true, 'bad', 'Came with it'],
  ['is more frequent with it, which may be chance', 2, 0, false, 'good', 'Not enough to stop'],
  ['is as frequent without it', 40, 38, false, 'good', 'Equal on both'],
] as const)('a cause that %s', (_, updatedCount, othersCount, comesWithVersion, verdict, says) => {
  const cause = { groupID: 'g', firstAt: evidence.at, updatedCount, othersCount, comesWithVersion };
  expect(evidenceRows(running, { ...evidence, causes: [cause] })[0]).toMatchObject({ verdict, says });
});

it.each([
  [20, 1, 'bad', '1'],
  [100, 2, 'good', '3'],
  [100, 3, 'bad', '3'],
] as const)('of %d agents, %d that failed', (updatedCount, failedCount, verdict, stopsAt) => {
  const rows = evidenceRows(running, { ...evidence, updatedCount, failedCount });
  expect(rows.find(({ kind }) => kind === 'failed')).toMatchObject({ verdict, stopsAt });
});

it('a rollout that has ended needs nobody to be watched any more', () => {
  const kinds = (state: 'running' | 'reverted') =>
    evidenceRows({ ...running, state }, evidence).map(({ kind }) => kind);
  expect(kinds('running')).toEqual(['causes', 'failed', 'worse', 'watched']);
  expect(kinds('reverted')).toEqual(['causes', 'failed', 'worse']);
});

it.each([
  [1, '1 agent, 3× as often'],
  [2, '1 agent, 3× as often'],
  [3, '2 agents, 3× as often'],
])('a version that %d agents get stops at %s', (agentsCount, stopsAt) => {
  const canary = { ...running, stages: [{ agentsCount, soakSeconds: 120 }, ...stages] };
  expect(evidenceRows(canary, { ...evidence, updatedCount: agentsCount })[0]).toMatchObject({ stopsAt });
});

it.each([
  [1, 'good', 'Not enough to stop'],
  [2, 'bad', '+40 points'],
] as const)(
  'of 5 updated agents %d that report anything new, and none of the others',
  (count, verdict, says) => {
    const worse = { updatedCount: count, othersCount: 0 };
    const rows = evidenceRows(running, { ...evidence, updatedCount: 5, worse });
    expect(rows.find(({ kind }) => kind === 'worse')).toMatchObject({ verdict, says });
  },
);
