import type { IncomingHttpHeaders } from 'node:http';
import type { CredentialKind, Route } from '@muster/contract';
import type { InvalidAttempts } from '@muster/http/limits/invalid-attempts';
import type { Admission } from '../../credentials/admission.ts';
import type { CredentialFreshness } from '../../credentials/credential-freshness.ts';
import { authorizeRoute, type Principal } from '../../credentials/principal.ts';
import { Refusal } from '../../refusal.ts';
import { authenticate, type CredentialKeepers, recall, refuseAtOnce } from './authenticate.ts';
import { requireOwnOrigin } from './require-own-origin.ts';
import { addressOf, type Sender } from './sender.ts';

/** The caller of a request, and the generation of CredentialFreshness for which this is valid. */
export interface Caller {
  readonly principal: Principal;
  readonly generation: number;
}

/** Authenticates and authorizes requests. */
export class Admitter {
  readonly #keepers: CredentialKeepers;
  readonly #freshness: CredentialFreshness;
  readonly #attempts: InvalidAttempts;
  readonly #publicOrigin: string | undefined;

  /** @param publicOrigin the origin of MUSTER_PUBLIC_URL, from which pages of the service come */
  constructor(
    keepers: CredentialKeepers,
    freshness: CredentialFreshness,
    attempts: InvalidAttempts,
    publicOrigin?: string,
  ) {
    this.#keepers = keepers;
    this.#freshness = freshness;
    this.#attempts = attempts;
    this.#publicOrigin = publicOrigin;
  }

  /**
   * Identifies the caller; synchronously if the credential is remembered.
   *
   * @param isProvisional the statement that does the work checks that the remembered credential is still valid.
   * @throws Refusal with a 401 code, credential_kind_not_accepted or too_many_invalid_credentials (also as a
   *   rejection)
   */
  identify(
    kinds: readonly CredentialKind[],
    headers: IncomingHttpHeaders,
    isProvisional: boolean,
    sender: Sender,
  ): Caller | Promise<Caller> {
    const remembered = isProvisional ? this.recall(kinds, headers) : undefined;
    if (remembered !== undefined) return remembered;
    try {
      // Before any query, including the one for freshness.
      refuseAtOnce(this.#keepers, kinds, headers);
      const caller = this.#identifyFresh(kinds, headers, sender);
      return caller instanceof Promise
        ? caller.catch((failure: unknown) => {
            throw this.#attempts.judge(failure, addressOf(sender));
          })
        : caller;
    } catch (failure) {
      throw this.#attempts.judge(failure, addressOf(sender));
    }
  }

  /** The caller of a remembered credential, provisionally; undefined if a look-up is needed. */
  recall(kinds: readonly CredentialKind[], headers: IncomingHttpHeaders): Caller | undefined {
    const { generation } = this.#freshness;
    if (generation === undefined) return undefined;
    const principal = recall(this.#keepers, kinds, headers);
    return principal === undefined ? undefined : { principal, generation };
  }

  /**
   * Authorizes the caller, and notes from where a project token is used.
   *
   * @param readAddress called only if the address is noted, or the credential is limited to networks.
   * @throws Refusal permission_denied, network_not_allowed, cross_origin_request
   */
  admit(
    route: Route,
    headers: IncomingHttpHeaders,
    caller: Caller,
    readAddress: () => string | undefined,
  ): Admission {
    const { principal } = caller;
    if (principal.kind === 'project' && principal.use?.wantsOrigin === true)
      principal.use.noteOrigin({ address: readAddress(), userAgent: headers['user-agent'] });
    if (principal.kind === 'access' && principal.session !== undefined) {
      if (route.method !== 'GET') this.requireOwnOrigin(headers);
      this.#keepers.session.noteUse(principal);
    }
    return this.#admit(route, headers, caller, readAddress);
  }

  /** @throws Refusal cross_origin_request */
  requireOwnOrigin(headers: IncomingHttpHeaders): void {
    requireOwnOrigin(headers, this.#publicOrigin);
  }

  /**
   * Counts the code of an invitation, or the secret of a link, that is not known: like an invalid credential.
   *
   * @throws Refusal too_many_invalid_credentials
   */
  countUnknownCode(sender: Sender): void {
    const judged = this.#attempts.judge(new Refusal('invalid_credential'), addressOf(sender));
    if (judged instanceof Refusal && judged.code === 'too_many_invalid_credentials') throw judged;
  }

  /**
   * Does what redeems a code, and counts the code if there is none like it.
   *
   * @throws Refusal too_many_invalid_credentials, and what `redeem` throws
   */
  async countUnknownCodes<Result>(sender: Sender, redeem: () => Promise<Result>): Promise<Result> {
    try {
      return await redeem();
    } catch (error) {
      if (error instanceof Refusal && error.code === 'not_found') this.countUnknownCode(sender);
      throw error;
    }
  }

  #admit(
    route: Route,
    headers: IncomingHttpHeaders,
    { principal, generation }: Caller,
    readAddress: () => string | undefined,
  ): Admission {
    if (principal.kind === 'project') principal.limits?.networks?.require(readAddress());
    return {
      principal: authorizeRoute(principal, route),
      generation,
      // Not counted as an attempt, because it was valid when the request arrived.
      renew: async () => {
        const renewed = await this.#identifyFresh(route.credentials, headers);
        // The request was counted when it arrived.
        if (renewed.principal.kind === 'project') renewed.principal.use?.countOnce();
        return this.#admit(route, headers, renewed, readAddress);
      },
    };
  }

  #identifyFresh(
    kinds: readonly CredentialKind[],
    headers: IncomingHttpHeaders,
    sender?: Sender,
  ): Caller | Promise<Caller> {
    const confirmed = this.#freshness.confirm();
    return confirmed === undefined
      ? this.#identifyNow(kinds, headers, sender)
      : confirmed.then(() => this.#identifyNow(kinds, headers, sender));
  }

  #identifyNow(
    kinds: readonly CredentialKind[],
    headers: IncomingHttpHeaders,
    sender: Sender | undefined,
  ): Caller | Promise<Caller> {
    // Read before the check, not when the body has arrived: the number may have changed by then, and the older check
    // would look newer than it is.
    const generation = this.#freshness.generation ?? 0;
    const choosePace = () =>
      sender !== undefined && this.#attempts.isLimited(addressOf(sender)) ? 'patient' : 'prompt';
    const principal = authenticate(this.#keepers, kinds, headers, choosePace);
    return principal instanceof Promise
      ? principal.then((found) => ({ principal: found, generation }))
      : { principal, generation };
  }
}
