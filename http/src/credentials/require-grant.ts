import { allows, type Grant, grantsOfRole, type Permission } from '@muster/contract';
import { Refusal } from '../refusal.ts';

/** The sentences of a refusal. */
export type Explain = (permission: Permission, held: string) => string;

export const ofToken: Explain = (permission, held) =>
  `This needs the permission '${permission}', and this credential has ${held}. Use a token that has it, or add it to this one.`;

/** @throws Refusal permission_denied, which names what is missing. */
export function requireGrant(
  held: readonly Grant[],
  permission: Permission,
  explain: Explain = ofToken,
  projectID?: string,
): void {
  if (isAllowed(held, permission)) return;
  throw new Refusal('permission_denied', { detail: explain(permission, describeGrants(held)), projectID });
}

/** Remembered for as long as the credential, because a storm repeats the same check all the time. */
const answers = new WeakMap<readonly Grant[], Map<Permission, boolean>>();

export function isAllowed(grants: readonly Grant[], permission: Permission): boolean {
  const ofGrants = answers.get(grants) ?? new Map<Permission, boolean>();
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
