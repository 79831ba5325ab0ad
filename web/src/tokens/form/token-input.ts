import type { Token, UpdateToken } from '@muster/client';
import { allows, type Grant, isGrant } from '@muster/contract';
import { grantsOfPurpose, purposeOf, type TokenPurpose } from '../token-purposes.ts';
import { expiryTime, type TokenExpiry } from './token-expiry.ts';

/** What somebody has entered about a token. */
export interface TokenInput {
  readonly name: string;
  readonly purpose: TokenPurpose;
  /** Of the purpose `custom`. */
  readonly chosen: readonly Grant[];
  /** `keep`: as it is. */
  readonly expiry: TokenExpiry | 'keep';
  /** Networks in CIDR notation, one in a line. */
  readonly networks: string;
  /** Empty: no limit. */
  readonly reports: number | string;
}

/** What a token is now. */
export function inputOf({
  name,
  permissions,
  allowedNetworks,
  reportsPerSecond,
}: Pick<Token, 'name' | 'permissions' | 'allowedNetworks' | 'reportsPerSecond'>): TokenInput {
  return {
    name,
    purpose: purposeOf(permissions),
    chosen: permissions.filter(isGrant),
    expiry: 'keep',
    networks: (allowedNetworks ?? []).join('\n'),
    reports: reportsPerSecond ?? '',
  };
}

/** The fields of a token as they are sent. `expiresAt` is absent if it is kept. @param now milliseconds */
export function fieldsOf({ name, purpose, chosen, expiry, networks, reports }: TokenInput, now: number) {
  const listed = networks.split(/[\s,]+/).filter((network) => network !== '');
  return {
    name: name.trim(),
    permissions: grantsOfPurpose(purpose, chosen),
    ...(expiry === 'keep' ? {} : { expiresAt: expiryTime(expiry, now) }),
    allowedNetworks: listed.length === 0 ? null : listed,
    reportsPerSecond: typeof reports === 'number' ? reports : null,
  };
}

/** Only the fields that differ from the token, so that nobody needs a permission for what they leave as it is. */
export function changesOf(token: Token, input: TokenInput, now: number): UpdateToken {
  const fields = fieldsOf(input, now);
  return {
    ...(fields.name === token.name ? {} : { name: fields.name }),
    ...(isSame(fields.permissions, token.permissions) ? {} : { permissions: fields.permissions }),
    ...(fields.expiresAt === undefined || fields.expiresAt === token.expiresAt
      ? {}
      : { expiresAt: fields.expiresAt }),
    ...(isSame(fields.allowedNetworks ?? [], token.allowedNetworks ?? [])
      ? {}
      : { allowedNetworks: fields.allowedNetworks }),
    ...(fields.reportsPerSecond === token.reportsPerSecond
      ? {}
      : { reportsPerSecond: fields.reportsPerSecond }),
  };
}

/** What the token may do after a change and not before, and the other way round. */
export function permissionChanges(before: readonly string[], after: readonly string[]) {
  const held = before.filter(isGrant);
  const wanted = after.filter(isGrant);
  return {
    added: wanted.filter((grant) => !allows(held, grant)),
    removed: held.filter((grant) => !allows(wanted, grant)),
  };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && [...one].sort().join() === [...other].sort().join();
}
