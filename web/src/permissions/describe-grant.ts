import { type Grant, isGrant, type Resource } from '@muster/contract';
import { permissionsTexts, permissionTexts, resourceTexts, wildcardTexts } from '../texts/permissions.ts';

/** What a grant allows a project token, in a sentence. */
export function describeGrant(grant: string): string {
  if (!isGrant(grant)) return permissionsTexts.noUse;
  const known: Readonly<Record<string, string>> = {
    ...permissionTexts,
    ...wildcardTexts,
    '*:*': wildcardTexts['*'],
  };
  const [action, resource] = partsOf(grant);
  if (action === '*' && resource !== '*')
    return permissionsTexts.everythingAbout(resourceTexts[resource].toLowerCase());
  return known[grant] ?? permissionsTexts.noUse;
}

function partsOf(grant: Grant): readonly [action: string, resource: Resource | '*'] {
  const [action = '*', resource = '*'] = grant.split(':');
  return [action, resource as Resource | '*']; // a part of a valid grant
}
