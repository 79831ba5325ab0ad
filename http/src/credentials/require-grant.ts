import { allows, type Grant, grantsOfRole, type Need, type Route } from '@muster/contract';
import { Refusal } from '../refusal.ts';

/** The sentences of a refusal. @param needs all that is needed, of which something is missing */
export type Explain = (needs: readonly Need[], held: string) => string;

export const ofToken: Explain = (needs, held) => {
  const it = needs.length === 1 ? 'it' : 'them';
  return `This needs ${describeNeeds(needs)}, and this credential has ${held}. Use a token that has ${it}, or add ${it} to this one.`;
};

/** @throws Refusal permission_denied, which names what is missing. */
export function requireGrant(held: readonly Grant[], permission: Need, explain: Explain = ofToken): void {
  requireGrants(held, [permission], explain);
}

/** @throws Refusal permission_denied, which names all of them: one alone may be a surprise. */
export function requireGrants(
  held: readonly Grant[],
  needs: readonly Need[],
  explain: Explain = ofToken,
  projectID?: string,
): void {
  if (needs.every((permission) => isAllowed(held, permission))) return;
  throw new Refusal('permission_denied', { detail: explain(needs, describeGrants(held)), projectID });
}

/** What a route needs. @throws Refusal permission_denied, as above */
export function requireGrantsOf(
  held: readonly Grant[],
  route: Pick<Route, 'permission' | 'furtherPermission'>,
): void {
  const { permission, furtherPermission } = route;
  // Asked of every report: without a list.
  if (permission !== undefined && !isAllowed(held, permission)) requireGrants(held, needsOf(route));
  if (furtherPermission !== undefined && !isAllowed(held, furtherPermission))
    requireGrants(held, needsOf(route));
}

/** `the permission 'read:agent'` */
export function describeNeeds(needs: readonly Need[]): string {
  return `the permission${needs.length === 1 ? '' : 's'} ${needs.map((one) => `'${one}'`).join(' and ')}`;
}

export function needsOf({
  permission,
  furtherPermission,
}: Pick<Route, 'permission' | 'furtherPermission'>): readonly Need[] {
  return [permission, furtherPermission].filter((one) => one !== undefined);
}

/** Remembered for as long as the credential, because a storm repeats the same check all the time. */
const answers = new WeakMap<readonly Grant[], Map<Need, boolean>>();

export function isAllowed(grants: readonly Grant[], permission: Need): boolean {
  const ofGrants = answers.get(grants) ?? new Map<Need, boolean>();
  const known = ofGrants.get(permission);
  if (known !== undefined) return known;
  const isAnswer = allows(grants, permission);
  answers.set(grants, ofGrants.set(permission, isAnswer));
  return isAnswer;
}

/** More say nothing to whoever lacks one. */
const maxNamedGrants = 5;

export function describeGrants(grants: readonly Grant[]): string {
  if (grants.length === 0) return 'no permission at all';
  if (grants.length <= maxNamedGrants) return `only ${grants.map((grant) => `'${grant}'`).join(', ')}`;
  const ofOperator = grantsOfRole('operator');
  const areOfOperator =
    grants.every((grant) => allows(ofOperator, grant)) && ofOperator.every((grant) => allows(grants, grant));
  return areOfOperator ? 'only those of an operator' : `only ${grants.length} others`;
}
