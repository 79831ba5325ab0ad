import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type FlattenedJWSInput,
  type JWSHeaderParameters,
  type JWTPayload,
  jwtVerify,
  type RemoteJWKSet,
} from 'jose';
import type { Clock } from '../clock.ts';
import { Refusal } from '../refusal.ts';

interface OidcCheckOptions {
  /** As the provider writes it in its tokens and in its configuration. */
  readonly issuer: string;
  readonly audience: string;
  readonly clock: Clock;
  readonly fetch?: typeof globalThis.fetch;
}

/** Whom a token of the identity provider stands for. `expiresAt` in milliseconds. */
interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly expiresAt: number;
}

export interface OidcCheck {
  /** True for what has the form of a JWT (RFC 7519); says nothing about its validity, and asks nobody. */
  isIssuedToken(value: string): boolean;
  /** @throws Refusal invalid_credential, expired_credential or identity_provider_unavailable, as a rejection */
  verify(value: string): Promise<OidcIdentity>;
}

/**
 * Checks access tokens of the company's identity provider against its published keys (OpenID Connect
 * Discovery 1.0, RFC 7517). The provider is first asked when the first token comes.
 */
export function createOidcCheck(options: OidcCheckOptions): OidcCheck {
  const findKey = createKeyFinder(options);
  return {
    isIssuedToken: (value) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(value),
    async verify(value) {
      try {
        const { payload } = await jwtVerify(value, findKey, {
          issuer: options.issuer,
          audience: options.audience,
          algorithms: asymmetricAlgorithms,
          requiredClaims: ['exp', 'sub'],
          currentDate: new Date(options.clock()),
          clockTolerance: toleranceSeconds,
        });
        return toIdentity(options.issuer, payload);
      } catch (error) {
        throw error instanceof errors.JOSEError ? refuseToken(error) : error;
      }
    },
  };
}

/** No `none`, and nothing symmetric: a public key must never serve as a shared secret. */
const asymmetricAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

const toleranceSeconds = 30;
const timeoutMilliseconds = 5_000;
const retryAfterSeconds = 5;

type FindKey = (header: JWSHeaderParameters, token: FlattenedJWSInput) => ReturnType<RemoteJWKSet>;

/** Discovers the keys once; a discovery that failed is made again for the next token. */
function createKeyFinder(options: OidcCheckOptions): FindKey {
  let discovered: Promise<RemoteJWKSet> | undefined;
  return async (header, token) => {
    try {
      discovered ??= discoverKeys(options);
      const keys = await discovered.catch((error: unknown) => {
        discovered = undefined;
        throw error;
      });
      return await keys(header, token);
    } catch (error) {
      if (error instanceof Refusal || isAboutToken(error)) throw error;
      throw unavailable('its keys could not be read', error);
    }
  };
}

async function discoverKeys({ issuer, fetch = globalThis.fetch }: OidcCheckOptions): Promise<RemoteJWKSet> {
  const configuration = await readConfiguration(issuer, fetch);
  if (configuration.issuer !== issuer) {
    throw unavailable('its configuration names another issuer than MUSTER_OIDC_ISSUER');
  }
  const keysURL = toTrustedURL(configuration.jwks_uri, issuer);
  if (keysURL === undefined) throw unavailable('its configuration names no jwks_uri that can be trusted');
  return createRemoteJWKSet(keysURL, { timeoutDuration: timeoutMilliseconds, [customFetch]: fetch });
}

/** Keys that come over plain HTTP are trusted only where the issuer's own configuration does so too. */
function toTrustedURL(text: unknown, issuer: string): URL | undefined {
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === new URL(issuer).protocol ? url : undefined;
}

interface ProviderConfiguration {
  readonly issuer?: unknown;
  readonly jwks_uri?: unknown;
}

async function readConfiguration(
  issuer: string,
  fetch: typeof globalThis.fetch,
): Promise<ProviderConfiguration> {
  try {
    const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    if (response.status !== 200) throw new Error(`the configuration was answered with ${response.status}`);
    const configuration: unknown = await response.json();
    return typeof configuration === 'object' && configuration !== null ? configuration : {};
  } catch (error) {
    throw unavailable('its configuration could not be read', error);
  }
}

function unavailable(reason: string, cause?: unknown): Refusal {
  return new Refusal('identity_provider_unavailable', {
    detail: `The token cannot be checked now, because the identity provider does not answer as it should: ${reason}. Send the request again, or use an access token of this service.`,
    retryAfterSeconds,
    cause,
  });
}

/** What is wrong with the token, as opposed to the provider, among the errors of looking for its key. */
function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

/** The error itself is no cause of the refusal: it carries the claims of the token, which no log should. */
function refuseToken(error: errors.JOSEError): Refusal {
  if (error instanceof errors.JWTExpired) {
    return new Refusal('expired_credential', {
      detail: 'The token of the identity provider has expired. Get a new one from it.',
    });
  }
  return new Refusal('invalid_credential', {
    detail: `This is no valid token of the identity provider: ${describeFault(error)}.`,
  });
}

function describeFault(error: errors.JOSEError): string {
  if (error instanceof errors.JWTClaimValidationFailed) return describeClaim(error.claim);
  if (error instanceof errors.JOSEAlgNotAllowed)
    return 'its algorithm is not among the asymmetric ones taken here';
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'it is signed with a key that the provider does not publish';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'it does not say which key it is signed with';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature does not hold';
  return 'it cannot be read as a signed JWT';
}

function describeClaim(claim: string): string {
  switch (claim) {
    case 'iss':
      return 'it comes from another issuer (MUSTER_OIDC_ISSUER)';
    case 'aud':
      return 'it is meant for another audience (MUSTER_OIDC_AUDIENCE)';
    case 'nbf':
      return 'it is not valid yet';
    default:
      return `its claim '${claim}' is missing or malformed`;
  }
}

function toIdentity(issuer: string, payload: JWTPayload): OidcIdentity {
  const { sub: subject, exp } = payload;
  if (!isText(subject)) throw new errors.JWTClaimValidationFailed('not a text', payload, 'sub');
  if (exp === undefined) throw new errors.JWTClaimValidationFailed('missing', payload, 'exp');
  const name = [payload.preferred_username, payload.name, payload.email].find(isText) ?? subject;
  return { issuer, subject, name, expiresAt: Math.min(exp * 1000, latestTime) };
}

/** The last time that a Date can hold. */
const latestTime = 8.64e15;

/** OpenID Connect Core 1.0 bounds a subject to 255 characters; what no database can keep is none. */
function isText(claim: unknown): claim is string {
  if (typeof claim !== 'string' || claim.trim() === '' || claim.length > 255) return false;
  return claim.isWellFormed() && !claim.includes('\0');
}
