import { type CredentialKind, takesSession } from '@muster/contract';
import {
  chooseCredential,
  type Headers,
  noAcceptedCredential,
  presentedCredentials,
} from '@muster/http/credentials/presented-credentials';
import type { ChoosePace } from '../../credentials/credential-cache.ts';
import type { Principal, UserPrincipal } from '../../credentials/principal.ts';
import type { Refusal } from '../../refusal.ts';
import { Secret } from '../../secret.ts';
import { readAnySessionCookie, readCookie } from './own-cookies.ts';

/** The service that checks credentials of one kind. */
interface CredentialKeeper {
  /** The principal of the credential. @throws Refusal with a 401 code (also as a rejection) */
  authenticate(value: string, choosePace: ChoosePace): Principal | Promise<Principal>;
  /** The refusal, if it is certain without a look-up; otherwise undefined. */
  recallRefusal(value: string): Refusal | undefined;
}

interface RecallingKeeper extends CredentialKeeper {
  /** The principal of a remembered valid credential; undefined if a look-up is needed. */
  recall(value: string): Principal | undefined;
}

/** The service that checks sessions of browsers. They are not recalled: only agents are in such a hurry. */
interface SessionKeeper extends CredentialKeeper {
  readonly cookieName: string;
  /** Called for each request that was admitted with a session. */
  noteUse(user: UserPrincipal): void;
}

export type CredentialKeepers = Readonly<Record<CredentialKind, RecallingKeeper>> & {
  readonly session: SessionKeeper;
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
  const value =
    chooseCredential(kinds, presentedCredentials(headers))?.value ?? readAnySessionCookie(headers);
  if (value === undefined) throw new Error('a request without a credential was admitted');
  return new Secret(value);
}

function decisiveCredential(
  keepers: CredentialKeepers,
  kinds: readonly CredentialKind[],
  headers: Headers,
): { readonly keeper: CredentialKeeper; readonly value: string } {
  const presented = presentedCredentials(headers);
  const chosen = chooseCredential(kinds, presented);
  if (chosen !== undefined) return { keeper: keepers[chosen.kind], value: chosen.value };
  const others = Object.keys(presented);
  const session =
    others.length === 0 && takesSession(kinds) ? readCookie(headers, keepers.session.cookieName) : undefined;
  if (session !== undefined) return { keeper: keepers.session, value: session };
  throw noAcceptedCredential(kinds, presented);
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
  return undefined;
}

/** True if a request presents any credential, valid or not. */
export function hasCredential(headers: Headers): boolean {
  return Object.keys(presentedCredentials(headers)).length > 0;
}
