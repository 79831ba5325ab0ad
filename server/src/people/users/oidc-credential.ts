import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../../foundation/clock.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { explainWrongKind } from './access-token-claims.ts';
import { ProviderKeys, type ProviderKeysOptions } from './provider-keys.ts';

interface OidcCheckOptions extends ProviderKeysOptions {
  readonly audience: string;
  /** The claim that contains the roles or groups of a user. */
  readonly rolesClaim: string;
  readonly clock: Clock;
}

/** The user of a token of the identity provider. `expiresAt` is in milliseconds. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly expiresAt: number;
  /** When the provider issued the token, in milliseconds. It decides which token speaks for the user, so tokens that do not tell it are refused. */
  readonly issuedAt: number;
  /** The values of the claim that contains the roles or groups of the user. */
  readonly claimValues: readonly string[];
}

export interface OidcCheck {
  /** True for a text in the form of a JWT (RFC 7519). The token may still be invalid; no request is made. */
  isIssuedToken(value: string): boolean;
  /** @throws Refusal invalid_credential, expired_credential or identity_provider_unavailable, as a rejection */
  verify(value: string): Promise<OidcIdentity>;
}

/**
 * Checks access tokens of the company's identity provider against its published keys. Any token is either
 * accepted, refused with 401, or cannot be checked now.
 */
export function createOidcCheck(options: OidcCheckOptions): OidcCheck {
  const keys = new ProviderKeys(options);
  return {
    isIssuedToken: (value) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(value),
    async verify(value) {
      try {
        const { payload, protectedHeader } = await jwtVerify(value, (...token) => keys.find(...token), {
          issuer: options.issuer,
          audience: options.audience,
          algorithms: asymmetricAlgorithms,
          requiredClaims: ['exp', 'iat', 'sub'],
          currentDate: new Date(options.clock()),
          clockTolerance: toleranceSeconds,
        });
        const fault = explainWrongKind(protectedHeader, payload);
        if (fault !== undefined) throw invalidToken(fault);
        return toIdentity(options, payload);
      } catch (error) {
        if (error instanceof Refusal) throw error;
        // Other errors concern the key: it is too short, or the platform cannot read it.
        throw error instanceof errors.JOSEError
          ? refuseToken(error)
          : invalidToken('it is signed with a key that cannot be used here');
      }
    },
  };
}

/** Neither `none` nor symmetric algorithms: a public key must never be used as a shared secret. */
const asymmetricAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

const toleranceSeconds = 30;

/** The error itself is not passed on as a cause, because it contains the claims of the token, which must not be logged. */
function refuseToken(error: errors.JOSEError): Refusal {
  if (error instanceof errors.JWTExpired) {
    return new Refusal('expired_credential', {
      detail: 'The token of the identity provider has expired. Get a new one from it.',
    });
  }
  return invalidToken(describeFault(error));
}

function invalidToken(fault: string): Refusal {
  return new Refusal('invalid_credential', {
    detail: `This is not a valid token of the identity provider: ${fault}.`,
  });
}

function describeFault(error: errors.JOSEError): string {
  if (error instanceof errors.JWTClaimValidationFailed) return describeClaim(error.claim);
  if (error instanceof errors.JOSEAlgNotAllowed)
    return 'its algorithm is not one of the accepted asymmetric ones';
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'it is signed with a key that the provider does not publish';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'it does not say which key it is signed with';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature is invalid';
  return 'it cannot be read as a signed JWT';
}

function describeClaim(claim: string): string {
  switch (claim) {
    case 'iss':
      return 'it comes from another issuer (MUSTER_OIDC_ISSUER)';
    case 'aud':
      return 'it is for another audience (MUSTER_OIDC_AUDIENCE)';
    case 'nbf':
      return 'it is not valid yet';
    default:
      return `its claim '${claim}' is missing or malformed`;
  }
}

/** The user of whom the claims of a token speak. @throws jose's error for a claim that is missing or malformed */
export function toIdentity(
  { issuer, rolesClaim, clock }: Pick<OidcCheckOptions, 'issuer' | 'rolesClaim' | 'clock'>,
  payload: JWTPayload,
): OidcIdentity {
  const { sub: subject, exp, iat } = payload;
  const now = clock();
  if (!isText(subject)) throw new errors.JWTClaimValidationFailed('not a text', payload, 'sub');
  if (iat === undefined) throw new errors.JWTClaimValidationFailed('missing', payload, 'iat');
  if (exp === undefined) throw new errors.JWTClaimValidationFailed('missing', payload, 'exp');
  const name = [payload.preferred_username, payload.name, payload.email].find(isText) ?? subject;
  return {
    issuer,
    subject,
    name,
    expiresAt: Math.min(exp * 1000, latestTime),
    // Never in the future, so that a later token is always newer.
    issuedAt: Math.min(Math.floor(iat * 1000), now),
    claimValues: [readClaim(payload, rolesClaim)].flat().filter(isText),
  };
}

/** A claim with the whole name, or the one to which its parts lead. */
export function readClaim(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  let value: unknown = payload;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[part]; // an object that has it
  }
  return value;
}

/** The maximum time of a Date. */
const latestTime = 8.64e15;

/** OpenID Connect Core 1.0 limits a subject to 255 characters; characters that no database can store are invalid. */
function isText(claim: unknown): claim is string {
  if (typeof claim !== 'string' || claim.trim() === '' || claim.length > 255) return false;
  return claim.isWellFormed() && !claim.includes('\0');
}
