import { type Grant, isGrant, type Resource } from '@muster/contract';
import { permissionTexts, resourceTexts, wildcardTexts } from '../texts/permissions.ts';
import { tokensTexts } from '../texts/tokens.ts';

/** What a grant allows, in a sentence. */
export function describeGrant(grant: string): string {
  if (!isGrant(grant)) return tokensTexts.noUse;
  const known: Readonly<Record<string, string>> = {
    ...permissionTexts,
    ...wildcardTexts,
    '*:*': wildcardTexts['*'],
  };
  const [action, resource] = partsOf(grant);
  if (action === '*' && resource !== '*')
    return tokensTexts.everythingAbout(resourceTexts[resource].toLowerCase());
  return known[grant] ?? tokensTexts.noUse;
}

function partsOf(grant: Grant): readonly [action: string, resource: Resource | '*'] {
  const [action = '*', resource = '*'] = grant.split(':');
  return [action, resource as Resource | '*']; // a part of a valid grant
}
