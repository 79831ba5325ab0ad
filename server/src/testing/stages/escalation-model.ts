import fc from 'fast-check';

/** What everybody may do, for a search of ways to get more. */
const actions = ['create', 'read', 'update', 'delete'];
const resources = [
  ...[
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
  ],
  // Stands for those that do not exist yet.
  'added later',
];

export type Powers = ReadonlySet<string>;

export function powersOf(grants: readonly string[]): Powers {
  return new Set(
    grants.flatMap((grant) => {
      const [action = '*', resource = '*'] = grant === '*' ? [] : grant.split(':');
      return (action === '*' ? actions : [action]).flatMap((one) =>
        (resource === '*' ? resources : [resource]).map((other) => `${one} ${other}`),
      );
    }),
  );
}

export const all = powersOf(['*']);
export const operator = new Set(
  [...all].filter(
    (power) =>
      power.startsWith('read ') || !['project', 'member', 'added later'].includes(power.replace(/^\w+ /, '')),
  ),
);
const both = (one: Powers, other: Powers): Powers => new Set([...one].filter((power) => other.has(power)));
export const isWithin = (one: Powers, other: Powers): boolean => [...one].every((power) => other.has(power));

interface Role {
  readonly body: object;
  readonly powers: Powers;
  readonly isOwner: boolean;
}

export interface User {
  readonly id: string;
  readonly isAdministrator: boolean;
  /** By the index of the project. */
  readonly roles: Map<number, Role>;
}

/** A value of an access token, or a session that was created with one. */
export interface Access {
  /** Of the access token. */
  readonly id: string;
  /** The value of the token, or the secret of the session. */
  readonly secret: string;
  readonly isSession: boolean;
  /** The value of the token; of a session, the one with which it was created. */
  readonly value: string;
  /** When the value ends, because the token was rotated. */
  endsAt: number;
  readonly user: User;
  readonly parent: Access | undefined;
  /** Undefined: not narrowed. */
  readonly grants: readonly string[] | undefined;
  readonly projects: readonly number[] | undefined;
  isRevoked: boolean;
}

export interface ProjectToken {
  readonly id: string;
  token: string;
  readonly project: number;
  powers: Powers;
  readonly creator: User;
  /** Who got its current value. */
  holder: User;
  isRevoked: boolean;
}

export interface Invitation {
  readonly code: string;
  readonly project: number;
  readonly role: Role;
  readonly sender: User;
  isOpen: boolean;
}

/** What a user may do in a project; undefined: no part in it. */
export function powersOfUser(user: User, project: number): Powers | undefined {
  return user.isAdministrator ? all : user.roles.get(project)?.powers;
}

export function powersOfAccess(access: Access, project: number): Powers | undefined {
  const ofUser = powersOfUser(access.user, project);
  if (ofUser === undefined || access.projects?.includes(project) === false) return undefined;
  const powers = access.grants === undefined ? ofUser : both(ofUser, powersOf(access.grants));
  // An administrator's token without any permission sees only the projects that it names.
  const isBlind = powers.size === 0 && access.projects === undefined && access.user.isAdministrator;
  return isBlind ? undefined : powers;
}

export function isNarrowed({ grants, projects }: Access): boolean {
  return grants !== undefined || projects !== undefined;
}

export function descends(one: Access, from: Access): boolean {
  return one.id === from.id || (one.parent !== undefined && descends(one.parent, from));
}

const grant = fc.oneof(
  { weight: 1, arbitrary: fc.constant('*') },
  {
    weight: 10,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...actions, '*'),
        fc.constantFrom('member', 'member', 'token', 'token', 'agent', 'project', '*'),
      )
      .map(([action, resource]) => `${action}:${resource}`),
  },
);
const grants = fc.uniqueArray(grant, { maxLength: 5 });
const role: fc.Arbitrary<Role> = fc.oneof(
  fc.constant({ body: { role: 'owner' }, powers: all, isOwner: true }),
  fc.constant({ body: { role: 'operator' }, powers: operator, isOwner: false }),
  fc.constant({ body: { role: 'viewer' }, powers: powersOf(['read:*']), isOwner: false }),
  grants.map((list) => ({ body: { permissions: list }, powers: powersOf(list), isOwner: false })),
);
export const step = fc.record({
  kind: fc.constantFrom(
    ...['add', 'add', 'change', 'change', 'remove', 'invite', 'invite', 'accept', 'accept'],
    ...['narrow', 'narrow', 'revoke', 'issue', 'issue', 'widen', 'rotate'],
    ...['sign in', 'sign in', 'sign in', 'sign out', 'renew', 'renew', 'leak', 'wait'],
  ),
  by: fc.nat(),
  target: fc.nat(),
  project: fc.nat(),
  role,
  grants,
  chance: fc.nat({ max: 7 }),
});
export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
