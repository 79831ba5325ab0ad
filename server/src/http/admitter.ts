import type { IncomingHttpHeaders } from 'node:http';
import type { CredentialKind, Route } from '@muster/contract';
import type { Admission } from '../admission.ts';
import type { CredentialFreshness } from '../credential-freshness.ts';
import { authorize, type Principal } from '../principal.ts';
import { authenticate, type CredentialKeepers, recall } from './authenticate.ts';

/** Who sent a request, and under which number of CredentialFreshness that was believed. */
export interface Caller {
  readonly principal: Principal;
  readonly generation: number;
}

/** Says who sends a request and what that lets it do. */
export class Admitter {
  readonly #keepers: CredentialKeepers;
  readonly #freshness: CredentialFreshness;

  constructor(keepers: CredentialKeepers, freshness: CredentialFreshness) {
    this.#keepers = keepers;
    this.#freshness = freshness;
  }

  /**
   * Identifies the caller; at once, without a promise, where that is remembered.
   *
   * @param isProvisional the statement that does the work will tell whether what is remembered is still so.
   * @throws Refusal with a 401 code, or credential_kind_not_accepted (also as a rejection)
   */
  identify(
    kinds: readonly CredentialKind[],
    headers: IncomingHttpHeaders,
    isProvisional: boolean,
  ): Caller | Promise<Caller> {
    const canWait = isProvisional && this.#freshness.generation !== undefined;
    const confirmed = canWait ? undefined : this.#freshness.confirm();
    return confirmed === undefined
      ? this.#identifyNow(kinds, headers)
      : confirmed.then(() => this.#identifyNow(kinds, headers));
  }

  /** The caller where that is remembered and provisionally believed; undefined says nothing. */
  recall(kinds: readonly CredentialKind[], headers: IncomingHttpHeaders): Caller | undefined {
    const { generation } = this.#freshness;
    if (generation === undefined) return undefined;
    const principal = recall(this.#keepers, kinds, headers);
    return principal === undefined ? undefined : { principal, generation };
  }

  /** @throws Refusal permission_denied */
  admit(route: Route, headers: IncomingHttpHeaders, { principal, generation }: Caller): Admission {
    if (route.permission !== undefined) authorize(principal, route.permission);
    if (route.furtherPermission !== undefined) authorize(principal, route.furtherPermission);
    return {
      principal,
      generation,
      renew: async () => this.admit(route, headers, await this.identify(route.credentials, headers, false)),
    };
  }

  #identifyNow(kinds: readonly CredentialKind[], headers: IncomingHttpHeaders): Caller | Promise<Caller> {
    // Noted before the check, and not when the body has come: by then the number may have moved on, and what was
    // believed here would pass for having been looked at since.
    const generation = this.#freshness.generation ?? 0;
    const principal = authenticate(this.#keepers, kinds, headers);
    return principal instanceof Promise
      ? principal.then((found) => ({ principal: found, generation }))
      : { principal, generation };
  }
}
