import type { Token } from '@muster/client';
import { describe, expect, it } from 'vitest';
import { changesOf, fieldsOf, inputOf, permissionChanges } from './token-input.ts';

const token = {
  name: 'edge',
  permissions: ['read:agent', 'create:agent_error'],
  expiresAt: '2027-01-01T00:00:00.000Z',
  allowedNetworks: ['10.0.0.0/8'],
  reportsPerSecond: 5,
} as unknown as Token; // the fields that are read

const input = inputOf(token);

describe('the fields of a token', () => {
  it('are sent as they were entered, for a new token', () => {
    const entered = { ...input, name: ' ci ', expiry: 'day30', networks: ' 10.0.0.0/8,\n::1/128 ' } as const;
    expect(fieldsOf({ ...entered, purpose: 'viewer', reports: '' }, 0)).toEqual({
      name: 'ci',
      permissions: ['read:*'],
      expiresAt: '1970-01-31T00:00:00.000Z',
      allowedNetworks: ['10.0.0.0/8', '::1/128'],
      reportsPerSecond: null,
    });
  });

  it('are not sent again if nothing was changed, whatever the order of permissions', () => {
    expect(changesOf(token, input, 0)).toEqual({});
    expect(changesOf(token, { ...input, chosen: input.chosen.toReversed() }, 0)).toEqual({});
  });

  it.each([
    [{ name: 'edge-2' }, { name: 'edge-2' }],
    [{ chosen: ['read:agent'] }, { permissions: ['read:agent'] }],
    [{ expiry: 'never' }, { expiresAt: null }],
    [{ networks: '' }, { allowedNetworks: null }],
    [{ reports: '' }, { reportsPerSecond: null }],
    [{ reports: 7 }, { reportsPerSecond: 7 }],
  ] as const)('are sent if they were changed: %j', (changed, expected) => {
    expect(changesOf(token, { ...input, ...changed }, 0)).toEqual(expected);
  });
});

it('tells what permissions are new and gone, and not what a wildcard covers', () => {
  expect(permissionChanges(['read:agent', 'create:agent'], ['read:*'])).toEqual({
    added: ['read:*'],
    removed: ['create:agent'],
  });
});
