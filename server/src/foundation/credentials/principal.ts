import {
  type Actor,
  allows,
  type Grant,
  grantsOfRole,
  type Need,
  type Permission,
  type Route,
  roles,
} from '@muster/contract';
import type { AllowedNetworks } from '@muster/http/allowed-networks';
import {
  describeGrants,
  describeNeeds,
  type Explain,
  isAllowed,
  needsOf,
  requireGrant,
  requireGrants,
  requireGrantsOf,
} from '@muster/http/credentials/require-grant';
import type { ReportRate } from '@muster/http/limits/report-rate';
import { Refusal } from '../refusal.ts';
import type { TokenDigest } from '../secret.ts';
import type { TokenUse } from './token-use.ts';

export { requireGrant };

/** The owner of a valid credential. `expiresAt` is when the credential expires, in milliseconds. */
export type Principal = UserPrincipal | ProjectTokenPrincipal | AgentPrincipal | CoreInstancePrincipal;

/** Where a request came from. */
export interface RequestOrigin {
  /** Undefined if a trusted proxy passed on an invalid one. */
  readonly address: string | undefined;
  readonly requestID: string;
}

/** What a principal is only for the time of one request. */
interface RequestBound {
  /** Undefined until the handler of a request that may change something is called (`mount-route.ts`). */
  readonly origin?: RequestOrigin | undefined;
}

export interface UserPrincipal extends RequestBound {
  readonly kind: 'access';
  readonly userID: string;
  readonly name: string;
  /** Of a session: the access token with which it was created. Absent if the identity provider let the user in. */
  readonly accessTokenID: string | undefined;
  /** Set if the request came with the session of a browser. */
  readonly session?: SessionOfUser | undefined;
  /** True if the identity provider authenticated the user, not this installation. */
  readonly isProvided: boolean;
  readonly access: UserAccess;
  /** True for an access token that may do less than its user. */
  readonly isNarrowed: boolean;
  /** The permissions of the request's route, needed in every project that it touches. Undefined until the request is authorized. */
  readonly needs: readonly Need[] | undefined;
  readonly expiresAt: number | null;
  readonly earlierValue?: EarlierValue | undefined;
}

interface SessionOfUser {
  readonly id: string;
  /** In milliseconds, as it was stored when the session was read. */
  readonly lastUsedAt: number;
  /** When the access token expires with which the session was created. Null: never, or there is none. */
  readonly tokenExpiresAt: number | null;
}

/** What a user may do, and where. */
export interface UserAccess {
  /** On the installation itself: what belongs to no project. */
  readonly installation: readonly Grant[];
  /** In every project, also in those that are created later. */
  readonly everyProject: readonly Grant[];
  /** By the id of a project, in addition to that. The user is a part of each of these, also with no grant. */
  readonly projects: ReadonlyMap<string, readonly Grant[]>;
}

export interface ProjectTokenPrincipal extends RequestBound {
  readonly kind: 'project';
  readonly tokenID: string;
  readonly name: string;
  readonly projectID: string;
  readonly grants: readonly Grant[];
  readonly expiresAt: number | null;
  /** Absent: none. */
  readonly limits?: TokenLimits | undefined;
  /** Where its requests are counted. */
  readonly use?: TokenUse | undefined;
  readonly earlierValue?: EarlierValue | undefined;
}

/** Limits that operators chose for a token or for one on which it depends. */
export interface TokenLimits {
  /** Undefined: every address is allowed. */
  readonly networks: AllowedNetworks | undefined;
  readonly rates: readonly ReportRate[];
}

/** Set if the credential is a value of its token from before a rotation. */
interface EarlierValue {
  /** Null: when a later value is used for the first time. */
  readonly endsAt: number | null;
}

export interface AgentPrincipal extends RequestBound {
  readonly kind: 'agent';
  readonly agentID: string;
  readonly projectID: string;
  readonly grants: readonly Grant[];
  readonly expiresAt: null;
  /** The digest of the token, if no request with it is known to have succeeded. */
  readonly unusedToken?: TokenDigest | undefined;
}

/** A Muster at a site. */
export interface CoreInstancePrincipal extends RequestBound {
  readonly kind: 'core_instance';
  readonly coreInstanceID: string;
  /** Of the token of the request. */
  readonly digest: TokenDigest;
  readonly name: string;
  readonly projectID: string;
  readonly grants: readonly Grant[];
  readonly expiresAt: null;
  readonly earlierValue?: EarlierValue | undefined;
}

/** The grants of a core instance, only for itself. What it passes on is judged by the credentials that agents sent to it. */
export const coreInstanceGrants: readonly Grant[] = ['update:core_instance'];

/** Why a credential is no longer valid at a time; undefined if it is. */
export function endOf(
  principal: Principal,
  now: number,
): 'expired_credential' | 'rotated_credential' | undefined {
  // Before the expiry, which an operator can change: a value that has ended stays so.
  if (principal.kind !== 'agent' && principal.earlierValue !== undefined) {
    const { endsAt } = principal.earlierValue;
    if (endsAt !== null && endsAt <= now) return 'rotated_credential';
  }
  return principal.expiresAt !== null && principal.expiresAt <= now ? 'expired_credential' : undefined;
}

/**
 * Authorizes a request of a route: the only place that decides what a caller may do. What depends on the project of a user's request is decided by
 * `hasPartIn`, as soon as the project is known.
 *
 * @throws Refusal permission_denied, which names what is missing.
 */
export function authorizeRoute(principal: Principal, route: Route): Principal {
  if (principal.kind === 'access') return authorizeUser(principal, route);
  requireGrantsOf(principal.grants, route);
  return principal;
}

/**
 * True if the principal has a part in the project. Of a user, it is also decided whether the route of the request is permitted there.
 *
 * @throws Refusal permission_denied
 */
export function hasPartIn(principal: Principal, projectID: string): boolean {
  if (principal.kind !== 'access') return principal.projectID === projectID;
  if (principal.needs === undefined) throw new Error('the request of a user was not authorized');
  const grants = grantsIn(principal, projectID);
  if (grants === undefined) return false;
  requireGrants(grants, principal.needs, ofUser, projectID);
  return true;
}

/** What a principal may do in a project; undefined if it has no part in it. */
export function grantsIn(principal: Principal, projectID: string): readonly Grant[] | undefined {
  if (principal.kind !== 'access') return principal.projectID === projectID ? principal.grants : undefined;
  return grantsOfUser(principal.access, projectID);
}

/** As above, of a user. */
export function grantsOfUser(
  { everyProject, projects }: UserAccess,
  projectID: string,
): readonly Grant[] | undefined {
  const own = projects.get(projectID);
  if (everyProject.length === 0) return own;
  return own === undefined || own.length === 0 ? everyProject : [...everyProject, ...own];
}

/**
 * The projects in which a principal has a permission; undefined: all.
 */
export function projectsWith(principal: Principal, permission: Permission): readonly string[] | undefined {
  if (principal.kind !== 'access') return [principal.projectID];
  const { everyProject, projects } = principal.access;
  if (isAllowed(everyProject, permission)) return undefined;
  return [...projects].filter(([, grants]) => isAllowed(grants, permission)).map(([id]) => id);
}

/** True if a user has access to nothing at all. */
export function isOutsider({ installation, everyProject, projects }: UserAccess): boolean {
  return installation.length === 0 && everyProject.length === 0 && projects.size === 0;
}

/** How somebody who has access to nothing gets in. */
export const outsiderNote =
  'You have access to no project yet. Ask an owner of a project for an invitation, or ask an administrator of this installation to give your group a role (MUSTER_OIDC_ROLES).';

/** Of the permissions of a user's request, only what can be known without its project is decided. */
function authorizeUser(user: UserPrincipal, route: Route): UserPrincipal {
  const { scope } = route;
  const needs = needsOf(route);
  if (scope === 'installation') requireGrants(user.access.installation, needs, ofAdministrator);
  else if (scope === undefined)
    for (const permission of needs) requireSomewhere(user.access, permission, needs);
  return { ...user, needs: scope === undefined ? needs : [] };
}

/** A permission that the user has in no project is missing in the project of the request too. Its project need not be looked up. */
function requireSomewhere(access: UserAccess, permission: Need, needs: readonly Need[]): void {
  const { everyProject, projects } = access;
  if (isAllowed(everyProject, permission)) return;
  for (const grants of projects.values()) if (isAllowed(grants, permission)) return;
  if (isOutsider(access)) throw new Refusal('permission_denied', { detail: outsiderNote });
  const [only, ...others] = [...projects.values()].map((grants) => [...everyProject, ...grants]);
  throw new Refusal('permission_denied', {
    detail:
      others.length === 0
        ? ofUser(needs, describeGrants(only ?? everyProject))
        : ofUser(needs, `${needs.length === 1 ? 'it' : 'them'} in none of your projects`),
  });
}

const ofUser: Explain = (needs, held) =>
  `This needs ${describeNeeds(needs)} in the project, which only ${whoHas(needs)} have, and this credential has ${held}. Ask an owner of the project for a role that has ${needs.length === 1 ? 'it' : 'them'}, or use an access token that is not narrowed.`;

/** `owners and administrators` */
function whoHas(needs: readonly Need[]): string {
  const members = roles
    .filter((role) => needs.every((permission) => allows(grantsOfRole(role), permission)))
    .map((role) => `${role}s`);
  return `${members.join(', ')} and administrators`;
}

const ofAdministrator: Explain = (needs) =>
  `This needs ${describeNeeds(needs)} on the installation, which only its administrators have, with an access token that is not narrowed${needs.includes('*:*') ? '' : ' to projects'}.`;

/** The only project of a token; undefined for a user. */
export function projectOf(principal: Principal): string | undefined {
  return principal.kind === 'access' ? undefined : principal.projectID;
}

/** For routes that accept only access credentials, which the type does not express. */
export function requireUser(principal: Principal): UserPrincipal {
  if (principal.kind !== 'access') throw new Refusal('credential_kind_not_accepted');
  return principal;
}

/** For routes that accept only project tokens, which the type does not express. */
export function requireProjectToken(principal: Principal): ProjectTokenPrincipal {
  if (principal.kind !== 'project') throw new Refusal('credential_kind_not_accepted');
  return principal;
}

/** For routes that accept only core instances, which the type does not express. */
export function requireCoreInstance(principal: Principal): CoreInstancePrincipal {
  if (principal.kind !== 'core_instance') throw new Refusal('credential_kind_not_accepted');
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
    case 'core_instance':
      return { kind: 'core_instance', id: principal.coreInstanceID };
  }
}

/** What an actor is called now; null for an agent, which changes its name itself. */
export function nameOf(principal: Principal): string | null {
  return principal.kind === 'agent' ? null : principal.name;
}

/** Names a caller for the log and for fair queues. All access tokens of a user count as one caller. */
export function describePrincipal(principal: Principal): string {
  const { kind, id } = actorOf(principal);
  return `${kind.replaceAll('_', ' ')} ${id}`;
}
