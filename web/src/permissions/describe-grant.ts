import { type Grant, isGrant, type Resource } from '@muster/contract';
import { peoplePermissionTexts } from '../texts/people-permissions.ts';
import { permissionsTexts, permissionTexts, resourceTexts, wildcardTexts } from '../texts/permissions.ts';
import type { Audience } from './offered-permissions.ts';

/** What a grant allows a project token or a person, in a sentence. */
export function describeGrant(grant: string, audience: Audience = 'token'): string {
  if (!isGrant(grant)) return permissionsTexts.noUse;
  const known: Readonly<Record<string, string>> = {
    ...(audience === 'token' ? permissionTexts : peoplePermissionTexts),
    ...wildcardTexts,
    '*:*': wildcardTexts['*'],
  };
  const [action, resource] = partsOf(grant);
  if (action === '*' && resource !== '*')
    return permissionsTexts.everythingAbout(resourceTexts[resource].toLowerCase());
  return known[grant] ?? describeUnused(grant, audience);
}

function describeUnused(grant: Grant, audience: Audience): string {
  const others: Readonly<Record<string, string>> =
    audience === 'token' ? peoplePermissionTexts : permissionTexts;
  if (others[grant] === undefined) return permissionsTexts.noUse;
  return audience === 'token' ? permissionsTexts.ofPeople : permissionsTexts.ofTokens;
}

function partsOf(grant: Grant): readonly [action: string, resource: Resource | '*'] {
  const [action = '*', resource = '*'] = grant.split(':');
  return [action, resource as Resource | '*']; // a part of a valid grant
}
