import type { Member } from '@muster/client';
import { allows, type Grant, grantsOfRole, isGrant, type Role, roles, surplusGrants } from '@muster/contract';

export interface MemberRights {
  readonly mayChange: boolean;
  readonly mayRemove: boolean;
}

interface Caller {
  /** In the project. */
  readonly held: readonly Grant[];
  /** On the installation: who may remove members there may remove the last owner. */
  readonly onInstallation: readonly Grant[];
}

/**
 * What the caller may do with a member, by the rules of the service.
 *
 * @param ownersCount how many owners the project has; undefined: not known, so the service decides
 */
export function memberRights(
  { held, onInstallation }: Caller,
  { role, permissions }: Pick<Member, 'role' | 'permissions'>,
  ownersCount: number | undefined,
): MemberRights {
  const isStronger = surplusGrants(held, permissions.filter(isGrant)).length > 0;
  const isLastOwner = role === 'owner' && ownersCount === 1;
  const may = (permission: 'update:member' | 'delete:member') =>
    !isStronger && allows(held, permission) && (!isLastOwner || allows(onInstallation, permission));
  return { mayChange: may('update:member'), mayRemove: may('delete:member') };
}

/** The roles that somebody with these grants may give. */
export function givableRoles(held: readonly Grant[]): readonly Role[] {
  return roles.filter((role) => surplusGrants(held, grantsOfRole(role)).length === 0);
}
