import { actions, type Grant, type Resource } from '@muster/contract';
import { peoplePermissionTexts } from '../texts/people-permissions.ts';
import { permissionsTexts, permissionTexts, resourceTexts, wildcardTexts } from '../texts/permissions.ts';

/** Whom permissions are given to: project tokens can use fewer than people. */
export type Audience = 'token' | 'person';

export interface OfferedGrants {
  readonly title: string;
  readonly grants: readonly { readonly grant: Grant; readonly text: string }[];
}

/** What can be given, by what it is about; the wildcards of actions come last. */
export function offeredPermissions(audience: Audience): readonly OfferedGrants[] {
  const texts: Readonly<Partial<Record<Grant, string>>> =
    audience === 'token' ? permissionTexts : peoplePermissionTexts;
  const groups = Object.entries(resourceTexts).map(([name, title]) => {
    const resource = name as Resource; // a key of a record of resources
    return offer(
      title,
      actions.map((action): Grant => `${action}:${resource}`),
      texts,
    );
  });
  const wildcards = offer(permissionsTexts.wildcards, Object.keys(wildcardTexts) as Grant[], wildcardTexts); // keys of the literal object
  return [...groups, wildcards].filter(({ grants }) => grants.length > 0);
}

function offer(
  title: string,
  grants: readonly Grant[],
  texts: Readonly<Partial<Record<Grant, string>>>,
): OfferedGrants {
  return {
    title,
    grants: grants.flatMap((grant) => {
      const text = texts[grant];
      return text === undefined ? [] : [{ grant, text }];
    }),
  };
}
