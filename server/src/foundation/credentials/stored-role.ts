import { type Grant, grantsOfRole, isRole } from '@muster/contract';

/** A role in a project as it is stored: a role of the contract, or `custom` with a list of permissions. */
export interface StoredRole {
  readonly role: string;
  /** JSON array of grants. */
  readonly permissions: string | null;
}

/** The grants of a stored role. */
export function grantsOf({ role, permissions }: StoredRole): readonly Grant[] {
  if (isRole(role)) return grantsOfRole(role);
  return permissions === null ? [] : (JSON.parse(permissions) as Grant[]); // only the service writes it
}
