import { actions, type Grant, resources } from './permissions.ts';

/** What a member of a project may do there. `custom`: a list of permissions of their own. */
export const roles = ['owner', 'operator', 'viewer'] as const;

export type Role = (typeof roles)[number];

/** What only owners may change: who is a member, and the project itself. */
const ownersResources: readonly string[] = ['project', 'member'];

const roleGrants: Readonly<Record<Role, readonly Grant[]>> = {
  owner: ['*'],
  operator: [
    'read:*',
    ...resources
      .filter((resource) => !ownersResources.includes(resource))
      .flatMap((resource) =>
        actions.filter((action) => action !== 'read').map((action): Grant => `${action}:${resource}`),
      ),
  ],
  viewer: ['read:*'],
};

export function isRole(text: string): text is Role {
  return Object.hasOwn(roleGrants, text);
}

/** The grants of a role in its project. They include resources that are added later, because no list of them is stored. */
export function grantsOfRole(role: Role): readonly Grant[] {
  return roleGrants[role];
}
