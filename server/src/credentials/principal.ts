import { type Actor, allows, type Grant, type Permission } from '@muster/contract';
import { Refusal } from '../refusal.ts';
import type { TokenDigest } from '../secret.ts';

/** Who a valid credential stands for. `expiresAt`: when the credential itself ends, in milliseconds. */
export type Principal = UserPrincipal | ProjectTokenPrincipal | AgentPrincipal;

export interface UserPrincipal {
  readonly kind: 'access';
  readonly userID: string;
  readonly name: string;
  /** Absent for a token of the identity provider. */
  readonly accessTokenID: string | undefined;
  /** Whether the identity provider vouches for the user, and not this installation. */
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
  readonly name: string;
  readonly projectID: string;
  readonly grants: readonly Grant[];
  readonly expiresAt: null;
  /** The digest of the token, where no request with it is known to have succeeded. */
  readonly unusedToken?: TokenDigest | undefined;
}

/** What every user of this installation may do: an installation belongs to its operators. */
export const userGrants: readonly Grant[] = ['*'];

/**
 * What an agent may do, to itself alone. It reads nothing of what is stored of it: whoever registers its machine again would
 * read the configuration that another one has sent.
 */
export const agentGrants: readonly Grant[] = ['create:agent_error', 'update:agent', 'read:fleet'];

/** @throws Refusal permission_denied, which names what is missing. */
export function authorize(principal: Principal, permission: Permission): void {
  if (isAllowed(principal.grants, permission)) return;
  throw new Refusal('permission_denied', {
    detail: `This needs the permission '${permission}', and this credential has ${describeGrants(principal.grants)}. Use a token that has it, or add it to this one.`,
  });
}

/** Remembered for as long as the credential is: a storm asks the same of the same one all the time. */
const answers = new WeakMap<readonly Grant[], Map<Permission, boolean>>();

function isAllowed(grants: readonly Grant[], permission: Permission): boolean {
  const ofGrants = answers.get(grants) ?? new Map<Permission, boolean>();
  const known = ofGrants.get(permission);
  if (known !== undefined) return known;
  const isAnswer = allows(grants, permission);
  answers.set(grants, ofGrants.set(permission, isAnswer));
  return isAnswer;
}

/** The one project that a principal has a part in; undefined for a user, who has a part in all. */
export function projectOf(principal: Principal): string | undefined {
  return principal.kind === 'access' ? undefined : principal.projectID;
}

export function hasPartIn(principal: Principal, projectID: string): boolean {
  const own = projectOf(principal);
  return own === undefined || own === projectID;
}

/** For routes that take project tokens alone, which their types do not know. */
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

/** Names a caller for the log and among those who take turns: all access tokens of a user are one caller. */
export function describePrincipal(principal: Principal): string {
  const { kind, id } = actorOf(principal);
  return `${kind.replaceAll('_', ' ')} ${id}`;
}

function describeGrants(grants: readonly Grant[]): string {
  return grants.length === 0
    ? 'no permission at all'
    : `only ${grants.map((grant) => `'${grant}'`).join(', ')}`;
}
