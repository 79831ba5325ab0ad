import { type Actor, allows, type Grant, type Permission } from '@muster/contract';
import { Refusal } from '../refusal.ts';
import type { TokenDigest } from '../secret.ts';

/** The owner of a valid credential. `expiresAt` is when the credential expires, in milliseconds. */
export type Principal = UserPrincipal | ProjectTokenPrincipal | AgentPrincipal;

export interface UserPrincipal {
  readonly kind: 'access';
  readonly userID: string;
  readonly name: string;
  /** Absent for a token of the identity provider. */
  readonly accessTokenID: string | undefined;
  /** True if the identity provider authenticated the user, not this installation. */
  readonly isProvided: boolean;
  readonly grants: readonly Grant[];
  readonly expiresAt: number | null;
}

export interface ProjectTokenPrincipal {
  readonly kind: 'project';
  readonly tokenID: string;
  readonly name: string;
  readonly projectID: string;
  readonly grants: readonly Grant[];
  readonly expiresAt: number | null;
}

export interface AgentPrincipal {
  readonly kind: 'agent';
  readonly agentID: string;
  readonly projectID: string;
  readonly grants: readonly Grant[];
  readonly expiresAt: null;
  /** The digest of the token, if no request with it is known to have succeeded. */
  readonly unusedToken?: TokenDigest | undefined;
}

/** The grants of every user: all users of an installation are its operators. */
export const userGrants: readonly Grant[] = ['*'];

/**
 * The grants of an agent, only for itself. It may not read what is stored about it: a caller that registers its machine again could otherwise read
 * the configuration that the real agent sent.
 */
export const agentGrants: readonly Grant[] = ['create:agent_error', 'update:agent', 'read:fleet'];

/** @throws Refusal permission_denied, which names what is missing. */
export function authorize(principal: Principal, permission: Permission): void {
  if (isAllowed(principal.grants, permission)) return;
  throw new Refusal('permission_denied', {
    detail: `This needs the permission '${permission}', and this credential has ${describeGrants(principal.grants)}. Use a token that has it, or add it to this one.`,
  });
}

/** Remembered for as long as the credential, because a storm repeats the same check all the time. */
const answers = new WeakMap<readonly Grant[], Map<Permission, boolean>>();

function isAllowed(grants: readonly Grant[], permission: Permission): boolean {
  const ofGrants = answers.get(grants) ?? new Map<Permission, boolean>();
  const known = ofGrants.get(permission);
  if (known !== undefined) return known;
  const isAnswer = allows(grants, permission);
  answers.set(grants, ofGrants.set(permission, isAnswer));
  return isAnswer;
}

/** The only project that a principal can access; undefined for a user, who can access all. */
export function projectOf(principal: Principal): string | undefined {
  return principal.kind === 'access' ? undefined : principal.projectID;
}

export function hasPartIn(principal: Principal, projectID: string): boolean {
  const own = projectOf(principal);
  return own === undefined || own === projectID;
}

/** For routes that accept only project tokens, which the type does not express. */
export function requireProjectToken(principal: Principal): ProjectTokenPrincipal {
  if (principal.kind !== 'project') throw new Refusal('credential_kind_not_accepted');
  return principal;
}

export function actorOf(principal: Principal): Actor {
  switch (principal.kind) {
    case 'access':
      return { kind: 'user', id: principal.userID };
    case 'project':
      return { kind: 'project_token', id: principal.tokenID };
    case 'agent':
      return { kind: 'agent', id: principal.agentID };
  }
}

/** Names a caller for the log and for fair queues. All access tokens of a user count as one caller. */
export function describePrincipal(principal: Principal): string {
  const { kind, id } = actorOf(principal);
  return `${kind.replaceAll('_', ' ')} ${id}`;
}

function describeGrants(grants: readonly Grant[]): string {
  return grants.length === 0
    ? 'no permission at all'
    : `only ${grants.map((grant) => `'${grant}'`).join(', ')}`;
}
