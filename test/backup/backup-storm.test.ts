import { expect, it } from 'vitest';
import { runBackupRound } from './backup-rounds.ts';

it('a backup under a storm has everything that was acknowledged before it began', async () => {
  const { acknowledgedBefore, statuses, ...rest } = await runBackupRound({
    reportsBefore: 2_000,
    connections: 16,
    pauseMilliseconds: 50,
  });
  expect(rest).toEqual({ lost: 0, doubled: 0, integrity: 'ok' });
  expect(acknowledgedBefore).toBeGreaterThanOrEqual(2_000);
  expect(Object.keys(statuses)).toEqual(['201']);
});
