import { expect, it } from 'vitest';
import { filterOf, readAuditSearch } from './audit-search.ts';

it('reads the filters of an address, and nothing that is none', () => {
  expect(
    readAuditSearch({ action: 'token.*', actor: 'a', from: '2026-11-22', to: '2026-13-45', other: 'x' }),
  ).toEqual({ action: 'token.*', actor: 'a', from: '2026-11-22' });
  expect(readAuditSearch({ from: 'yesterday', action: '' })).toEqual({});
  expect(readAuditSearch({ action: 'everything' })).toEqual({});
});

it('includes the whole last day', () => {
  const { since = '', until = '' } = filterOf({ from: '2026-11-22', to: '2026-11-22' });
  expect(Date.parse(until) - Date.parse(since)).toBe(86_400_000);
});
