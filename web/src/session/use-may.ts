import type { Me } from '@muster/client';
import { allows, isGrant, type Permission } from '@muster/contract';
import { useSuspenseQuery } from '@tanstack/react-query';
import { meQuery } from './session-queries.ts';

/** Tells what the session may do in a project. The service decides: screens only leave out what it would refuse. */
export function useMay(projectID: string): (permission: Permission) => boolean {
  const { data: me } = useSuspenseQuery(meQuery);
  return (permission) => mayIn(me, projectID, permission);
}

function mayIn(me: Me, projectID: string, permission: Permission): boolean {
  const ofProject = me.projects?.find(({ id }) => id === projectID)?.permissions ?? [];
  return allows([...me.permissions, ...ofProject].filter(isGrant), permission);
}
