import { nearestName } from './nearest-name.ts';

export const actions = ['create', 'read', 'update', 'delete'] as const;
export const resources = [
  'project',
  'token',
  'agent',
  'agent_error',
  'fleet',
  'webhook',
  'member',
  'audit_log',
] as const;

export type Action = (typeof actions)[number];
export type Resource = (typeof resources)[number];

/** What a route asks for: always one action on one resource. */
export type Permission = `${Action}:${Resource}`;

/** What a token can be granted: a permission, a wildcard on either side, or everything. */
export type Grant = `${Action | '*'}:${Resource | '*'}` | '*';

/** Most grants that one token can hold. */
export const maxGrants = 64;

/** Every valid grant. */
export const grants: readonly Grant[] = [
  '*',
  ...[...actions, '*' as const].flatMap((action) =>
    [...resources, '*' as const].map((resource): Grant => `${action}:${resource}`),
  ),
];

const validGrants: ReadonlySet<string> = new Set(grants);

/** Ready-made sets of grants, by the job that a token does. */
export const presets = {
  /** Registers itself, keeps itself up to date and reports errors. The default of a new token. */
  agent: ['create:agent', 'create:agent_error', 'update:agent', 'read:fleet'],
  /** Sees everything, changes nothing. */
  viewer: ['read:*'],
  /** Does everything, in resources that are added later too. */
  operator: ['create:*', 'read:*', 'update:*', 'delete:*'],
} as const satisfies Record<string, readonly Grant[]>;

export function isGrant(text: string): text is Grant {
  return validGrants.has(text);
}

/** Says why a text is not a grant, with the nearest valid one. */
export function explainInvalidGrant(text: string): string {
  const nearest = nearestName(
    text,
    grants.filter((grant) => addsNoWildcard(text, grant)),
  );
  return nearest === undefined
    ? `'${text}' is not a permission: write action:resource, such as 'create:agent_error' or 'read:*'.`
    : `'${text}' is not a permission: did you mean '${nearest}'?`;
}

/** A suggestion must not widen: it has a wildcard only where the text has one, or nothing at all. */
function addsNoWildcard(text: string, suggestion: Grant): boolean {
  const written = text.split(':', 2);
  return parts(suggestion).every((part, side) => {
    const writtenPart = written[side] ?? '';
    return part !== '*' || writtenPart === '' || writtenPart.includes('*');
  });
}

/** Duplicates folded, the order of first appearance kept. */
export function foldGrants(list: readonly Grant[]): Grant[] {
  return [...new Set(list)];
}

function parts(grant: Grant): readonly [string, string] {
  const [action = '*', resource = '*'] = grant.split(':');
  return [action, resource];
}

/** True when one held grant covers everything that the wanted one covers. */
export function covers(held: Grant, wanted: Grant): boolean {
  const [heldAction, heldResource] = parts(held);
  const [wantedAction, wantedResource] = parts(wanted);
  return (
    (heldAction === '*' || heldAction === wantedAction) &&
    (heldResource === '*' || heldResource === wantedResource)
  );
}

/**
 * True when the held grants together allow what is wanted.
 *
 * A wildcard action is also covered by the four actions side by side (`operator` may grant `*:token`), and
 * nothing else composes: resources can be added, so naming all of today's is less than `*`.
 */
export function allows(held: readonly Grant[], wanted: Grant): boolean {
  if (held.some((grant) => covers(grant, wanted))) return true;
  const [action, resource] = parts(wanted);
  if (action !== '*') return false;
  return actions.every(
    (one) => held.some((grant) => covers(grant, `${one}:${resource as Resource | '*'}`)), // a part of a valid grant
  );
}

/**
 * What is left of grants within a limit: a grant that the limit covers stays as it is, of another one the part that both
 * cover.
 */
export function intersectGrants(granted: readonly Grant[], limit: readonly Grant[]): Grant[] {
  if (granted.every((grant) => allows(limit, grant))) return [...granted];
  const common = granted.flatMap((grant) =>
    allows(limit, grant) ? [grant] : limit.flatMap((other) => intersection(grant, other) ?? []),
  );
  return dropCovered(foldGrants(common));
}

function intersection(one: Grant, other: Grant): Grant | undefined {
  const [action, resource] = parts(one);
  const [otherAction, otherResource] = parts(other);
  const common = [narrower(action, otherAction), narrower(resource, otherResource)].join(':');
  return isGrant(common) ? common : undefined;
}

/** Empty where both name something, and not the same. */
function narrower(one: string, other: string): string {
  if (one === '*' || one === other) return other;
  return other === '*' ? one : '';
}

function dropCovered(list: readonly Grant[]): Grant[] {
  return list.filter(
    (grant, index) =>
      !list.some(
        (other, place) => place !== index && covers(other, grant) && (!covers(grant, other) || place < index),
      ),
  );
}

/** The wanted grants that the held ones do not cover, in the order wanted. */
export function surplusGrants(held: readonly Grant[], wanted: readonly Grant[]): Grant[] {
  return wanted.filter((grant) => !allows(held, grant));
}
