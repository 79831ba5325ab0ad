import { expect, it } from 'vitest';
import { valueRows } from './value-rows.ts';

it('shows each field of both sides once, and which of them differ', () => {
  expect(
    valueRows({
      before: { name: 'a', permissions: ['read:*'], expiresAt: null },
      after: { name: 'a', permissions: ['read:agent', 'read:token'], filter: { q: 'x' } },
    }),
  ).toEqual([
    { field: 'name', before: 'a', after: 'a', isChanged: false },
    { field: 'permissions', before: 'read:*', after: 'read:agent, read:token', isChanged: true },
    { field: 'expiresAt', before: 'null', after: undefined, isChanged: true },
    { field: 'filter', before: undefined, after: '{"q":"x"}', isChanged: true },
  ]);
  expect(valueRows({ before: null, after: null })).toEqual([]);
});
