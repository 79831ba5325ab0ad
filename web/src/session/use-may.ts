import type { Me } from '@muster/client';
import { allows, type Grant, isGrant, type Permission } from '@muster/contract';
import { useSuspenseQuery } from '@tanstack/react-query';
import { meQuery } from './session-queries.ts';

/** Tells what the session may do in a project. The service decides: screens only leave out what it would refuse. */
export function useMay(projectID: string): (permission: Permission) => boolean {
  const held = useHeldGrants(projectID);
  return (permission) => allows(held, permission);
}

/** What the session may do in a project, and so at most what the user may grant to others. */
export function useHeldGrants(projectID: string): readonly Grant[] {
  const { data: me } = useSuspenseQuery(meQuery);
  return heldIn(me, projectID);
}

/** Tells what the session may do on the installation itself, such as reading all audit logs. */
export function useMayOnInstallation(): (permission: Permission) => boolean {
  const held = useHeldOnInstallation();
  return (permission) => allows(held, permission);
}

/** What the session may do on the installation itself. */
export function useHeldOnInstallation(): readonly Grant[] {
  const { data: me } = useSuspenseQuery(meQuery);
  return (me.installationPermissions ?? []).filter(isGrant);
}

/** What a user may do in a project. */
export function heldIn(me: Me, projectID: string): Grant[] {
  const ofProject = me.projects?.find(({ id }) => id === projectID)?.permissions ?? [];
  return [...me.permissions, ...ofProject].filter(isGrant);
}
