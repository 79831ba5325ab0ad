import { createLocalJWKSet, errors, type FlattenedJWSInput, type JWSHeaderParameters } from 'jose';
import type { MonotonicClock } from '../../foundation/clock.ts';
import { readBoundedText } from '../../foundation/read-bounded-text.ts';
import { type Refusal, UntoldRefusal } from '../../foundation/refusal.ts';

export interface ProviderKeysOptions {
  /** Spelled as in the provider's tokens and configuration. */
  readonly issuer: string;
  readonly monotonic: MonotonicClock;
  readonly fetch?: typeof globalThis.fetch;
  /** Called for each request that cannot be checked now. */
  readonly onUnavailable: (failure: { readonly reason: string; readonly cause: string }) => void;
}

type FindKey = ReturnType<typeof createLocalJWKSet>;
type Key = Awaited<ReturnType<FindKey>>;

interface Failure {
  readonly reason: string;
  readonly cause: string;
  /** No request is made to the provider before this time. */
  readonly retryAt: number;
}

const timeoutMilliseconds = 5_000;
const maxBytes = 512 * 1024;
/** Keys are read again when they are this old. */
const freshMilliseconds = 600_000;
/** Maximum age of keys while the provider does not answer. */
const staleMilliseconds = 3_600_000;
/** Minimum time before keys are read again for a token whose key is unknown. */
const cooldownMilliseconds = 30_000;
const firstPauseMilliseconds = 1_000;
const maxPauseMilliseconds = 60_000;

/**
 * The keys that the identity provider publishes (OpenID Connect Discovery 1.0, RFC 7517). They are first read for the first
 * token. Concurrent requests share one read; after each failure the pause before the next read doubles.
 */
export class ProviderKeys {
  readonly #options: ProviderKeysOptions;
  #known: { readonly find: FindKey; readonly readAt: number } | undefined;
  #failure: Failure | undefined;
  #failures = 0;
  #reading: Promise<void> | undefined;

  constructor(options: ProviderKeysOptions) {
    this.#options = options;
  }

  /** @throws Refusal identity_provider_unavailable, or jose's error for an invalid token */
  async find(header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<Key> {
    if (this.#ageOfKeys() >= freshMilliseconds) await this.#refresh();
    const known = this.#known;
    if (known === undefined || this.#ageOfKeys() >= staleMilliseconds) throw this.#unavailable();
    try {
      return await known.find(header, token);
    } catch (error) {
      const isUnknown = error instanceof errors.JWKSNoMatchingKey;
      if (!isUnknown || this.#ageOfKeys() < cooldownMilliseconds) throw error;
      await this.#refresh();
      const renewed = this.#known;
      if (renewed === undefined || renewed === known) throw this.#unavailable();
      return renewed.find(header, token);
    }
  }

  #ageOfKeys(): number {
    return this.#known === undefined
      ? Number.POSITIVE_INFINITY
      : this.#options.monotonic() - this.#known.readAt;
  }

  /** Resolves when the keys were read, when that failed, or at once if it is too early to try again. */
  #refresh(): Promise<void> {
    if (this.#failure !== undefined && this.#options.monotonic() < this.#failure.retryAt)
      return Promise.resolve();
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { monotonic } = this.#options;
    try {
      const find = createLocalJWKSet(await this.#fetchKeys());
      this.#known = { find, readAt: monotonic() };
      this.#failure = undefined;
      this.#failures = 0;
    } catch (error) {
      const pause = Math.min(maxPauseMilliseconds, firstPauseMilliseconds * 2 ** this.#failures);
      this.#failures += 1;
      this.#failure = { ...describeFailure(error), retryAt: monotonic() + pause };
    }
  }

  async #fetchKeys() {
    const { issuer } = this.#options;
    const place = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const configuration = await this.#fetchJson(place, 'its configuration could not be read');
    if (configuration.issuer !== issuer) {
      throw new ProviderFault('its configuration names another issuer than MUSTER_OIDC_ISSUER');
    }
    const keysURL = toTrustedURL(configuration.jwks_uri, issuer);
    if (keysURL === undefined) {
      throw new ProviderFault('its configuration names no jwks_uri that can be trusted');
    }
    const keys = await this.#fetchJson(keysURL.href, 'its keys could not be read');
    return keys as unknown as Parameters<typeof createLocalJWKSet>[0]; // createLocalJWKSet checks it
  }

  async #fetchJson(url: string, reason: string): Promise<Readonly<Record<string, unknown>>> {
    const { fetch = globalThis.fetch } = this.#options;
    try {
      const response = await fetch(url, {
        headers: { accept: 'application/json' },
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMilliseconds),
      });
      if (response.status !== 200) {
        await response.body?.cancel();
        throw new Error(`it was answered with ${response.status}`);
      }
      const value: unknown = JSON.parse(await readBoundedText(response.body ?? [], maxBytes));
      if (typeof value !== 'object' || value === null) throw new Error('it is not a JSON object');
      return { ...value };
    } catch (error) {
      throw new ProviderFault(reason, { cause: error });
    }
  }

  #unavailable(): Refusal {
    const { monotonic, onUnavailable } = this.#options;
    const { reason, cause, retryAt } = this.#failure ?? { reason: 'unknown', cause: '', retryAt: 0 };
    onUnavailable({ reason, cause });
    // Logged together with others: a stack trace for each request would fill the log.
    return new UntoldRefusal('identity_provider_unavailable', {
      detail: `The token cannot be checked now, because the identity provider does not answer correctly: ${reason}. Send the request again, or use an access token of this service.`,
      retryAfterSeconds: Math.max(1, Math.ceil((retryAt - monotonic()) / 1_000)),
    });
  }
}

/** Describes the provider's fault. */
class ProviderFault extends Error {}

function describeFailure(error: unknown): Pick<Failure, 'reason' | 'cause'> {
  if (!(error instanceof ProviderFault))
    return { reason: 'its keys could not be read', cause: String(error) };
  return { reason: error.message, cause: error.cause === undefined ? '' : String(error.cause) };
}

/** Keys over plain HTTP are trusted only if the issuer's own configuration also uses plain HTTP. */
function toTrustedURL(text: unknown, issuer: string): URL | undefined {
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === new URL(issuer).protocol ? url : undefined;
}
