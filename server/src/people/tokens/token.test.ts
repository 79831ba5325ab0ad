import type { Grant } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { type GrantingToken, outlives, statusAt, surplusOfChange, widens } from './token.ts';

const now = 1_000_000_000_000;
const day = 86_400_000;

describe('statusAt', () => {
  it.each([
    ['active', null, null],
    ['active', now + 7 * day + 1, null],
    ['expiring', now + 7 * day, null],
    ['expiring', now + 1, null],
    ['expired', now, null],
    ['expired', now - 1, null],
    ['revoked', null, now],
    ['revoked', now - 1, now - 2],
    ['revoked', now + 1, now + 1],
  ])('is %s with expiry at %s and revocation at %s', (status, expiresAt, revokedAt) => {
    expect(statusAt(now, { expiresAt, revokedAt })).toBe(status);
  });
});

describe('outlives', () => {
  it.each([
    [false, null, null],
    [true, null, now],
    [false, now, null],
    [false, now, now],
    [true, now + 1, now],
    [false, now - 1, now],
  ])('is %s for expiry at %s against %s, where null means never', (expected, expiresAt, limit) => {
    expect(outlives(expiresAt, limit)).toBe(expected);
  });
});

function token(expiresAt: number | null, ...grants: Grant[]): GrantingToken {
  return { grants, expiresAt };
}

describe('widens', () => {
  it.each([
    [false, token(now, 'read:*'), token(now, 'read:*')],
    [false, token(now, 'read:*'), token(now, 'read:agent', 'read:token')],
    [false, token(now, 'read:*'), token(now - 1, 'read:*')],
    [false, token(null, '*'), token(now)],
    [true, token(now, 'read:*'), token(now, 'read:*', 'create:agent')],
    [true, token(now, 'read:agent'), token(now, 'read:*')],
    [true, token(now, 'read:agent'), token(now, 'read:token')],
    [true, token(now, 'read:*'), token(now + 1, 'read:*')],
    [true, token(now, 'read:*'), token(null)],
  ])('is %s from %j to %j', (expected, before, after) => {
    expect(widens(before, after)).toBe(expected);
  });
});

describe('surplusOfChange', () => {
  const maker = token(null, 'update:token', 'read:agent');

  it('is the newly granted part that the maker lacks', () => {
    const before = token(now, 'delete:agent');
    const after = token(now, 'delete:agent', 'read:agent', 'read:token', 'create:*');
    expect(surplusOfChange(maker, before, after)).toEqual(['read:token', 'create:*']);
  });

  it('excludes what the token already had', () => {
    expect(surplusOfChange(maker, token(now, '*'), token(now, 'delete:*', 'read:*'))).toEqual([]);
  });

  it('is everything that the maker lacks if the token gets a later expiry', () => {
    const before = token(now, 'delete:agent', 'read:agent');
    expect(surplusOfChange(maker, before, { ...before, expiresAt: now + 1 })).toEqual(['delete:agent']);
    expect(surplusOfChange(maker, before, { ...before, expiresAt: null })).toEqual(['delete:agent']);
    expect(surplusOfChange(maker, before, { ...before, expiresAt: now - 1 })).toEqual([]);
  });
});
