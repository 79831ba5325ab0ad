import { type Grant, grantsOfRole, type Role, surplusGrants } from '@muster/contract';
import { readGrants } from '../../foundation/credentials/read-grants.ts';
import { invalidBody, Refusal } from '../../foundation/refusal.ts';

/** A role that somebody gives, as it is stored and as what it permits. */
export interface GivenRole {
  readonly role: Role | 'custom';
  /** JSON array of the grants of a custom role. */
  readonly permissions: string | null;
  readonly grants: readonly Grant[];
}

interface RoleInput {
  readonly role?: Role;
  readonly permissions?: readonly string[];
}

/** @throws Refusal invalid_body, if it is neither a role nor a list of permissions, or both; invalid_permission */
export function readRole({ role, permissions }: RoleInput): GivenRole {
  if (role !== undefined && permissions === undefined) {
    return { role, permissions: null, grants: grantsOfRole(role) };
  }
  if (permissions === undefined) {
    throw invalidBody([{ path: '/role', message: 'is missing; give a role, or permissions instead' }]);
  }
  if (role !== undefined) {
    throw invalidBody([{ path: '/permissions', message: 'cannot be given together with a role' }]);
  }
  const grants = readGrants(permissions);
  return { role: 'custom', permissions: JSON.stringify(grants), grants };
}

/** @throws Refusal permissions_exceed_own */
export function refuseMoreThanOwn(held: readonly Grant[], given: readonly Grant[]): void {
  const surplus = surplusGrants(held, given);
  if (surplus.length === 0) return;
  throw new Refusal('permissions_exceed_own', {
    detail: `This credential does not have ${quoteAll(surplus)} in the project, so it cannot give that. Ask an owner of the project.`,
  });
}

/** @throws Refusal permissions_exceed_own */
export function refuseStrongerMember(held: readonly Grant[], ofMember: readonly Grant[]): void {
  const surplus = surplusGrants(held, ofMember);
  if (surplus.length === 0) return;
  throw new Refusal('permissions_exceed_own', {
    detail: `This member has ${quoteAll(surplus)} in the project, which this credential does not have, so it cannot change them. Ask an owner of the project.`,
  });
}

function quoteAll(grants: readonly Grant[]): string {
  return grants.map((grant) => `'${grant}'`).join(', ');
}
