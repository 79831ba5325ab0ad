import {
  type CredentialKind,
  findTokens,
  isMaskedToken,
  takesSession,
  tokenPrefixes,
} from '@muster/contract';
import type { ChoosePace } from '../../credentials/credential-cache.ts';
import type { Principal, UserPrincipal } from '../../credentials/principal.ts';
import { Refusal } from '../../refusal.ts';
import { Secret } from '../../secret.ts';
import { readAnySessionCookie, readCookie } from './own-cookies.ts';

/** The service that checks credentials of one kind. */
interface CredentialKeeper {
  /** The principal of the credential. @throws Refusal with a 401 code (also as a rejection) */
  authenticate(value: string, choosePace: ChoosePace): Principal | Promise<Principal>;
  /** The same for a remembered valid credential; undefined if a look-up is needed. */
  recall(value: string): Principal | undefined;
  /** The refusal, if it is certain without a look-up; otherwise undefined. */
  recallRefusal(value: string): Refusal | undefined;
}

/** The service that checks sessions of browsers. */
interface SessionKeeper extends CredentialKeeper {
  readonly cookieName: string;
  /** Called for each request that was admitted with a session. */
  noteUse(user: UserPrincipal): void;
}

export type CredentialKeepers = Readonly<Record<CredentialKind, CredentialKeeper>> & {
  readonly session: SessionKeeper;
};

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const headerNames: Readonly<Record<CredentialKind, string>> = {
  access: 'Authorization: Bearer',
  project: 'X-Project-Token',
  agent: 'X-Agent-Token',
  core_instance: 'X-Core-Instance-Token',
};

/**
 * Turns the credentials of a request into a principal: of the presented ones, the first of a listed kind decides. The session in a cookie counts only
 * if there is no other credential, also none of a kind that the route does not accept. Synchronous if the check is.
 *
 * @param kinds the kinds that the route accepts, in its order.
 * @throws Refusal with a 401 code, or credential_kind_not_accepted
 */
export function authenticate(
  keepers: CredentialKeepers,
  kinds: readonly CredentialKind[],
  headers: Headers,
  choosePace: ChoosePace = () => 'prompt',
): Principal | Promise<Principal> {
  const { keeper, value } = decisiveCredential(keepers, kinds, headers);
  return keeper.authenticate(value, choosePace);
}

/** Throws the refusal of `authenticate` if it is certain without a look-up. @throws Refusal, as above */
export function refuseAtOnce(
  keepers: CredentialKeepers,
  kinds: readonly CredentialKind[],
  headers: Headers,
): void {
  const { keeper, value } = decisiveCredential(keepers, kinds, headers);
  const refusal = keeper.recallRefusal(value);
  if (refusal !== undefined) throw refusal;
}

/** The value of the credential that decides who the caller of a route is. */
export function presentedSecret(kinds: readonly CredentialKind[], headers: Headers): Secret {
  const presented = presentedCredentials(headers);
  const value =
    kinds.map((kind) => presented[kind]).find((one) => one !== undefined) ?? readAnySessionCookie(headers);
  if (value === undefined) throw new Error('a request without a credential was admitted');
  return new Secret(value);
}

function decisiveCredential(
  keepers: CredentialKeepers,
  kinds: readonly CredentialKind[],
  headers: Headers,
): { readonly keeper: CredentialKeeper; readonly value: string } {
  const presented = presentedCredentials(headers);
  for (const kind of kinds) {
    const value = presented[kind];
    if (value === undefined) continue;
    if (isMaskedToken(value)) throw new Refusal('masked_credential');
    return { keeper: keepers[kind], value };
  }
  const others = Object.keys(presented);
  const session =
    others.length === 0 && takesSession(kinds) ? readCookie(headers, keepers.session.cookieName) : undefined;
  if (session !== undefined) return { keeper: keepers.session, value: session };
  const taken = kinds.map((kind) => headerNames[kind]).join(' or ');
  if (others.length > 0) {
    throw new Refusal('credential_kind_not_accepted', { detail: `This route takes ${taken}.` });
  }
  throw new Refusal('missing_credential', { detail: `Send a credential as ${taken}.` });
}

/** Like `authenticate`, but only for remembered credentials and without a look-up. */
export function recall(
  keepers: CredentialKeepers,
  kinds: readonly CredentialKind[],
  headers: Headers,
): Principal | undefined {
  const presented = presentedCredentials(headers);
  for (const kind of kinds) {
    const value = presented[kind];
    if (value !== undefined) return keepers[kind].recall(value);
  }
  // Sessions are not recalled: only agents are in such a hurry.
  return undefined;
}

/** True if a request presents any credential, valid or not. */
export function hasCredential(headers: Headers): boolean {
  return Object.keys(presentedCredentials(headers)).length > 0;
}

function presentedCredentials(headers: Headers): Partial<Record<CredentialKind, string>> {
  const presented: Partial<Record<CredentialKind, string>> = {};
  const bearer = readBearer(headers.authorization);
  if (bearer !== undefined) presented[kindOfBearer(bearer)] = bearer;
  const project = single(headers['x-project-token']);
  if (project !== undefined) presented.project = project;
  const agent = single(headers['x-agent-token']);
  if (agent !== undefined) presented.agent = agent;
  const coreInstance = single(headers['x-core-instance-token']) ?? single(headers['x-aggregator-token']);
  if (coreInstance !== undefined) presented.core_instance = coreInstance;
  return presented;
}

/** RFC 6750 section 2.1; the scheme's name is case-insensitive (RFC 9110 section 11.1). */
function readBearer(header: string | readonly string[] | undefined): string | undefined {
  const match = /^bearer +(\S+) *$/i.exec(single(header) ?? '');
  return match?.[1];
}

function kindOfBearer(value: string): CredentialKind {
  if (value.startsWith(tokenPrefixes.core_instance)) return 'core_instance';
  return value.includes(`.${tokenPrefixes.project}`) || value.startsWith(tokenPrefixes.project)
    ? 'project'
    : 'access';
}

function single(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' && header !== '' ? header : undefined;
}

const queryNames = new Set([
  'token',
  'access_token',
  'project_token',
  'agent_token',
  'core_instance_token',
  'aggregator_token',
  'api_key',
  'apikey',
]);

/** @throws Refusal credential_in_query */
export function refuseCredentialInQuery(query: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(query)) {
    const values = (Array.isArray(value) ? value : [value]).map(String);
    if (queryNames.has(name.toLowerCase()) || holdsToken(name) || values.some(holdsToken)) {
      throw new Refusal('credential_in_query', {
        detail: `The query parameter '${holdsToken(name) ? '[secret]' : name}' carries a credential. Send it in a header instead (${Object.values(headerNames).join(', ')}) and revoke this one: URLs end up in logs and histories.`,
      });
    }
  }
}

/** True if a text contains a token anywhere, such as `Bearer mst_u_…` or a URL. */
function holdsToken(text: string): boolean {
  for (const { kind } of findTokens(text)) if (kind in headerNames) return true;
  return false;
}
