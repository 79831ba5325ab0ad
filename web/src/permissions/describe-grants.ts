import { peoplePermissionsTexts } from '../texts/people-permissions.ts';

/** What permissions come to, in a few words. */
export function describeGrants(grants: readonly string[]): string {
  if (grants.includes('*') || grants.includes('*:*')) return peoplePermissionsTexts.everything;
  const [first] = grants;
  if (first === undefined) return peoplePermissionsTexts.none;
  if (grants.length > 1) return peoplePermissionsTexts.list(grants.length);
  return first === 'read:*' ? peoplePermissionsTexts.readsEverything : first;
}
