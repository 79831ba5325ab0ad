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
const running = { state: 'running' } as const;

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
  const kinds = (state: 'running' | 'reverted') => evidenceRows({ state }, evidence).map(({ kind }) => kind);
  expect(kinds('running')).toEqual(['causes', 'failed', 'worse', 'watched']);
  expect(kinds('reverted')).toEqual(['causes', 'failed', 'worse']);
});
