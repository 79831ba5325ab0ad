import { type Grant, grantsOfRole, type Role } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { givableRoles, memberRights } from './member-rights.ts';

const member = (role: Role) => ({ role, permissions: [...grantsOfRole(role)] });
const none: readonly Grant[] = [];

describe('what may be done with a member', () => {
  it.each<[string, readonly Grant[], Role, boolean, boolean]>([
    ['an owner changes and removes a viewer', ['*'], 'viewer', true, true],
    ['an owner changes and removes another owner', ['*'], 'owner', true, true],
    ['an operator does neither', grantsOfRole('operator'), 'viewer', false, false],
    ['a viewer does neither', grantsOfRole('viewer'), 'viewer', false, false],
    ['with a list of permissions, who has no more', ['read:*', 'update:member'], 'viewer', true, false],
    ['and not who has more', ['read:*', 'update:member', 'delete:member'], 'operator', false, false],
  ])('%s', (_, held, role, mayChange, mayRemove) =>
    expect(memberRights({ held, onInstallation: none }, member(role), 2)).toEqual({ mayChange, mayRemove }),
  );

  it('keeps the last owner, unless an administrator of the installation removes them', () => {
    const rights = (onInstallation: readonly Grant[], owners: number | undefined) =>
      memberRights({ held: ['*'], onInstallation }, member('owner'), owners).mayRemove;
    expect(rights(none, 1)).toBe(false);
    expect(rights(none, 2)).toBe(true);
    expect(rights(none, undefined)).toBe(true);
    expect(rights(['*'], 1)).toBe(true);
  });
});

it('gives no role that has more than the caller', () => {
  expect(givableRoles(['*'])).toEqual(['owner', 'operator', 'viewer']);
  expect(givableRoles(grantsOfRole('operator'))).toEqual(['operator', 'viewer']);
  expect(givableRoles(['read:agent', 'create:member'])).toEqual([]);
});
