import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { agentGrants, type CredentialKind, isWellFormedToken, type Route } from '@muster/contract';
import { takeBasicCredential } from '@muster/http/credentials/basic-credential';
import {
  chooseCredential,
  noAcceptedCredential,
  presentedCredentials,
} from '@muster/http/credentials/presented-credentials';
import { requireGrantsOf } from '@muster/http/credentials/require-grant';
import type { ReportRate } from '@muster/http/limits/report-rate';
import { Refusal } from '@muster/http/refusal';
import type { SiteLimits } from '../limits/site-limits.ts';
import type { SiteAgents } from '../state/site-agents.ts';
import type { CredentialList } from './credential-list.ts';
import type { SiteCredential } from './site-credential.ts';

interface VerdictsOptions {
  readonly list: Pick<CredentialList, 'find' | 'isKnown'>;
  readonly agents: Pick<SiteAgents, 'agentOfToken'>;
  readonly limits: Pick<SiteLimits, 'judgeAttempt'>;
  readonly clock: () => number;
  /** Never steps back. */
  readonly monotonic: () => number;
  /** Asks the centre what has changed. False if it cannot be reached now. */
  readonly refresh: () => Promise<boolean>;
}

/** Who sent a request. */
export type Sender =
  | { readonly kind: 'project'; readonly tokenID: string; readonly rates: readonly ReportRate[] }
  | { readonly kind: 'agent'; readonly agentID: string };

const rememberedMilliseconds = 30_000;
const maxRemembered = 10_000;

/**
 * Decides at the site who an agent is and what it may do, from the digests that the centre has sent. While the centre is away, a credential that is
 * not known is neither accepted nor refused for good.
 */
export class Verdicts {
  readonly #options: VerdictsOptions;
  /** Digests that the centre does not know either, and until when it is not asked again. */
  readonly #unknown = new Map<string, number>();

  constructor(options: VerdictsOptions) {
    this.#options = options;
  }

  /**
   * @throws Refusal with a 401 code, too_many_invalid_credentials, permission_denied, network_not_allowed, credential_kind_not_accepted, or overloaded while the centre has to be
   * asked and is away (also as a rejection)
   */
  judge(route: Route, headers: IncomingHttpHeaders, address: string | undefined): Sender | Promise<Sender> {
    const { limits } = this.#options;
    try {
      const sender = this.#judge(route, headers, address);
      if (!(sender instanceof Promise)) return sender;
      return sender.catch((failure: unknown) => {
        throw limits.judgeAttempt(failure, address);
      });
    } catch (failure) {
      throw limits.judgeAttempt(failure, address);
    }
  }

  /** The agent that a token belongs to, as far as it is known here without asking. */
  agentOf(token: string): string | undefined {
    const found = this.#find(hash('sha256', token));
    return found?.kind === 'agent' && !found.isRevoked ? found.id : undefined;
  }

  #judge(route: Route, headers: IncomingHttpHeaders, address: string | undefined): Sender | Promise<Sender> {
    if (route.takesBasic) takeBasicCredential(headers);
    const kinds = route.credentials.filter((kind): kind is 'project' | 'agent' => isKindOfAgents(kind));
    const presented = presentedCredentials(headers);
    const chosen = chooseCredential(kinds, presented);
    if (chosen === undefined) throw noAcceptedCredential(kinds, presented);
    const digest = hash('sha256', chosen.value);
    const found = this.#find(digest);
    if (found !== undefined) return this.#admit(route, found, chosen.kind, address);
    // The centre is not asked about what cannot be a token.
    if (!isWellFormedToken(chosen.kind, chosen.value)) throw new Refusal('invalid_credential');
    return this.#ask(digest).then((credential) => this.#admit(route, credential, chosen.kind, address));
  }

  /** The centre decides about tokens that were given here too, as soon as it has heard of them. */
  #find(digest: string): SiteCredential | undefined {
    const listed = this.#options.list.find(digest);
    if (listed !== undefined) return listed;
    const id = this.#options.agents.agentOfToken(digest);
    if (id === undefined) return undefined;
    return {
      kind: 'agent',
      id,
      permissions: agentGrants,
      networks: undefined,
      rates: [],
      expiresAt: null,
      isRevoked: false,
    };
  }

  async #ask(digest: string): Promise<SiteCredential> {
    const { monotonic, refresh, list } = this.#options;
    if ((this.#unknown.get(digest) ?? Number.NEGATIVE_INFINITY) > monotonic())
      throw new Refusal('invalid_credential');
    const isReached = await refresh();
    const found = this.#find(digest);
    if (found !== undefined) return found;
    if (!isReached || !list.isKnown) {
      throw new Refusal('overloaded', {
        detail:
          'This core instance does not know the token, and it cannot reach Muster now to ask. Nothing was stored. Send the request again later.',
        retryAfterSeconds: 30,
      });
    }
    if (this.#unknown.size >= maxRemembered) this.#unknown.clear();
    this.#unknown.set(digest, monotonic() + rememberedMilliseconds);
    throw new Refusal('invalid_credential');
  }

  #admit(
    route: Route,
    { kind, id, permissions, networks, rates, expiresAt, isRevoked }: SiteCredential,
    presentedKind: CredentialKind,
    address: string | undefined,
  ): Sender {
    if (kind !== presentedKind) throw new Refusal('invalid_credential');
    if (isRevoked) throw new Refusal('revoked_credential');
    if (expiresAt !== null && expiresAt <= this.#options.clock()) throw new Refusal('expired_credential');
    networks?.require(address);
    requireGrantsOf(permissions, route);
    return kind === 'project' ? { kind, tokenID: id, rates } : { kind, agentID: id };
  }
}

function isKindOfAgents(kind: CredentialKind): boolean {
  return kind === 'project' || kind === 'agent';
}
