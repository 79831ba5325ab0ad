import { actions, type Permission, type Resource } from '@muster/contract';
import { peoplePermissionTexts } from '../texts/people-permissions.ts';
import { resourceTexts } from '../texts/permissions.ts';

export interface OfferedResource {
  readonly resource: Resource;
  readonly text: string;
  readonly permissions: readonly { readonly permission: Permission; readonly text: string }[];
}

/** The permissions that a person can be given, by what they are about. */
export function offeredPermissions(): readonly OfferedResource[] {
  return Object.entries(resourceTexts)
    .map(([name, text]) => {
      const resource = name as Resource; // a key of a record of resources
      return {
        resource,
        text,
        permissions: actions.flatMap((action) => {
          const permission: Permission = `${action}:${resource}`;
          const sentence = peoplePermissionTexts[permission];
          return sentence === undefined ? [] : [{ permission, text: sentence }];
        }),
      };
    })
    .filter(({ permissions }) => permissions.length > 0);
}
