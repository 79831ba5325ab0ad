import { expect, it } from 'vitest';
import { isAboutToExpire } from './is-about-to-expire.ts';

const now = Date.parse('2026-03-02T10:00:00Z');

it.each([
  ['expiring', '2026-03-05T10:00:00Z', true],
  ['expiring', '2026-06-05T10:00:00Z', false],
  ['expiring', null, false],
  ['active', null, false],
  ['expired', '2026-03-01T10:00:00Z', false],
] as const)('tells of a token that is %s until %s: %s', (status, expiresAt, isSoon) => {
  expect(isAboutToExpire({ status, expiresAt }, now)).toBe(isSoon);
});
