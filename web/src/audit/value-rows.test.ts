import { expect, it } from 'vitest';
import { valueRows } from './value-rows.ts';

it('shows each field of both sides once, and which of them differ', () => {
  expect(
    valueRows({
      before: { name: 'a', permissions: ['read:*'], expiresAt: null },
      after: { name: 'a', permissions: ['read:agent', 'read:token'], filter: { q: 'x', agentIDs: [] } },
    }),
  ).toEqual([
    { field: 'name', before: { texts: ['a'] }, after: { texts: ['a'] }, isChanged: false },
    {
      field: 'permissions',
      before: { texts: ['read:*'] },
      after: { texts: ['read:agent', 'read:token'] },
      isChanged: true,
    },
    { field: 'expiresAt', before: { texts: ['–'] }, after: undefined, isChanged: true },
    { field: 'filter.q', before: undefined, after: { texts: ['x'] }, isChanged: true },
    { field: 'filter.agentIDs', before: undefined, after: { texts: ['–'] }, isChanged: true },
  ]);
  expect(valueRows({ before: null, after: null })).toEqual([]);
});

it('tells how many there were if only the first ones are recorded', () => {
  const after = { agentsCount: 3, agentIDs: ['1', '2'], tokensCount: 2, tokenIDs: ['3', '4'] };
  expect(valueRows({ before: null, after }).map((row) => row.after)).toEqual([
    { texts: ['3'] },
    { texts: ['1', '2'], total: 3 },
    { texts: ['2'] },
    { texts: ['3', '4'] },
  ]);
});

it('groups the digits of numbers, as everywhere on the screens', () => {
  const after = { errorsCount: 8_524, reportsPerSecond: 0.5 };
  expect(valueRows({ before: null, after }).map((row) => row.after)).toEqual([
    { texts: ['8,524'] },
    { texts: ['0.5'] },
  ]);
});
