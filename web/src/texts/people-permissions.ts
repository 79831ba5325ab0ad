import type { Permission } from '@muster/contract';
import { permissionTexts } from './permissions.ts';

export const peoplePermissionsTexts = {
  everything: 'Everything',
  readsEverything: 'Reads everything',
  list: (count: number) => `${count} permissions`,
  none: 'Nothing',
};

// Only tokens rotate themselves by it.
const { 'update:own_token': _, ...textsOfBoth } = permissionTexts;

/** What each permission of a person allows, in a sentence. The tests compare the list with the routes. */
export const peoplePermissionTexts: Readonly<Partial<Record<Permission, string>>> = {
  ...textsOfBoth,
  'create:token': 'Create tokens that may do no more than you.',
  'create:member': 'Add and invite members.',
  'read:member': 'See members and invitations.',
  'update:member': 'Change the roles of members. With read:audit_log too: read the audit log.',
  'delete:member': 'Remove members and revoke invitations.',
  'create:project': 'Create projects.',
  'update:project': 'Rename the project.',
  'delete:project': 'Delete the project.',
};
