import { nearestName } from './nearest-name.ts';

export const actions = ['create', 'read', 'update', 'delete'] as const;
export const resources = [
  'project',
  'token',
  'own_token',
  'agent',
  'agent_error',
  'fleet',
  'core_instance',
  'webhook',
  'member',
  'audit_log',
] as const;

export type Action = (typeof actions)[number];
export type Resource = (typeof resources)[number];

/** The permission that a route requires: always one action on one resource. */
export type Permission = `${Action}:${Resource}`;

/** What a route asks for: a permission, or everything. */
export type Need = Permission | '*:*';

/** What a token can be granted: a permission, a wildcard on either side, or everything. */
export type Grant = `${Action | '*'}:${Resource | '*'}` | '*';

/** Maximum number of grants of one token. */
export const maxGrants = 64;

/** Every valid grant. */
export const grants: readonly Grant[] = [
  '*',
  ...[...actions, '*' as const].flatMap((action) =>
    [...resources, '*' as const].map((resource): Grant => `${action}:${resource}`),
  ),
];

const validGrants: ReadonlySet<string> = new Set(grants);

/**
 * The grants of an agent, only for itself. It may not read what is stored about it: a caller that registers its machine again could otherwise read
 * the configuration that the real agent sent.
 */
export const agentGrants: readonly Grant[] = ['create:agent_error', 'update:agent', 'read:fleet'];

/** Ready-made sets of grants, one per purpose of a token. */
export const presets = {
  /** Registers an agent, updates it and reports its errors. The default of a new token. */
  agent: ['create:agent', 'create:agent_error', 'update:agent', 'read:fleet'],
  /** Creates core instances, and nothing else. No other preset for machines can do that: a stolen token of an agent must not pose as a site. */
  core_instance: ['create:core_instance'],
  /** Reads everything, changes nothing. */
  viewer: ['read:*'],
  /** May do everything, also with resources that are added later. */
  operator: ['create:*', 'read:*', 'update:*', 'delete:*'],
} as const satisfies Record<string, readonly Grant[]>;

export function isGrant(text: string): text is Grant {
  return validGrants.has(text);
}

/** Explains why a text is not a grant and suggests the nearest valid one. */
export function explainInvalidGrant(text: string): string {
  const nearest = nearestName(
    text,
    grants.filter((grant) => addsNoWildcard(text, grant)),
  );
  return nearest === undefined
    ? `'${text}' is not a permission: write action:resource, such as 'create:agent_error' or 'read:*'.`
    : `'${text}' is not a permission: did you mean '${nearest}'?`;
}

/** A suggestion must not widen: it has a wildcard only where the text has a wildcard or is empty. */
function addsNoWildcard(text: string, suggestion: Grant): boolean {
  const written = text.split(':', 2);
  return parts(suggestion).every((part, side) => {
    const writtenPart = written[side] ?? '';
    return part !== '*' || writtenPart === '' || writtenPart.includes('*');
  });
}

/** Removes duplicates and keeps the order of first appearance. */
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
 * True when the held grants together allow everything that the wanted grant covers.
 *
 * The four actions together cover a wildcard action (with them, `operator` may grant `*:token`). Resources do not
 * combine in this way: new ones can be added, so a list of all present resources is less than `*`.
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
 * Restricts grants to a limit: a grant within the limit stays as it is; any other is replaced by the parts that both allow.
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

/** Empty when both are specific and differ. */
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
