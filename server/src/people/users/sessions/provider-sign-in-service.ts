import { createHash } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  ResponseBodyError,
  type ServerMetadata,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import type { Clock, MonotonicClock } from '../../../foundation/clock.ts';
import type { OidcClient } from '../../../foundation/oidc-client.ts';
import { readBoundedText } from '../../../foundation/read-bounded-text.ts';
import { UntoldRefusal } from '../../../foundation/refusal.ts';
import type { RandomBytes } from '../../../foundation/secret.ts';
import { type OidcIdentity, readClaim, toIdentity } from '../oidc-credential.ts';
import type { UserService } from '../user-service.ts';
import type { Browser, NewSession, SessionService } from './session-service.ts';

interface ProviderSignInServiceOptions {
  /** Spelled as in the provider's tokens and configuration. */
  readonly issuer: string;
  readonly client: OidcClient;
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string;
  /** The claim that contains the roles or groups of a user. */
  readonly rolesClaim: string;
  /** How long a session lasts at most; 0: as long as the ID token. */
  readonly maxHours: number;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly randomBytes: RandomBytes;
  readonly users: Pick<UserService, 'signInProvided'>;
  readonly sessions: Pick<SessionService, 'create'>;
  /** Called for each sign-in that fails, without anything that is secret. */
  readonly onFailure: (failure: { readonly reason: string; readonly code: string }) => void;
  /** Absent: 5 s for each answer of the provider. */
  readonly timeoutSeconds?: number | undefined;
}

/** What a browser keeps of a sign-in that is under way. It proves that the same browser ends the sign-in. */
export interface SignInAttempt {
  readonly state: string;
  readonly nonce: string;
  /** RFC 7636 section 4.1. */
  readonly verifier: string;
}

/** Why a sign-in failed. `denied`: the provider said so. `client`: it does not accept this service. `invalid`: its answer is not acceptable. */
export type SignInFault = 'denied' | 'client' | 'invalid';

const hourMilliseconds = 3_600_000;
const maxAnswerBytes = 512 * 1024;
const toleranceSeconds = 30;
/** The configuration of the provider is read again when it is this old. */
const freshMilliseconds = 600_000;

/** Signs browsers in through the identity provider: OpenID Connect Core 1.0, authorization code flow with PKCE (RFC 7636), state and nonce. */
export class ProviderSignInService {
  readonly #options: ProviderSignInServiceOptions;
  #known: { readonly configuration: Configuration; readonly readAt: number } | undefined;
  #reading: Promise<Configuration> | undefined;

  constructor(options: ProviderSignInServiceOptions) {
    this.#options = options;
  }

  /** Where the browser signs in, and what it keeps until it returns. @throws Refusal identity_provider_unavailable */
  async begin(): Promise<{ readonly url: string; readonly attempt: SignInAttempt }> {
    const { client, redirectUri, randomBytes } = this.#options;
    const configuration = await this.#configure();
    const random = () => Buffer.from(randomBytes(32)).toString('base64url');
    const attempt = { state: random(), nonce: random(), verifier: random() };
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: client.scopes,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, attempt };
  }

  /**
   * Signs the browser in with the answer of the provider.
   *
   * @param query of the request with which the browser has returned
   * @throws Refusal identity_provider_unavailable
   */
  async finish(attempt: SignInAttempt, query: string, browser: Browser): Promise<NewSession | SignInFault> {
    const { users, sessions, clock, maxHours } = this.#options;
    const configuration = await this.#configure();
    const identity = await this.#redeem(configuration, attempt, query);
    if (typeof identity === 'string') return identity;
    const until = maxHours === 0 ? identity.expiresAt : clock() + maxHours * hourMilliseconds;
    const { id: userID, name: userName } = await users.signInProvided(identity);
    return sessions.create(
      { userID, userName, method: 'identity_provider', token: undefined, until },
      browser,
    );
  }

  async #redeem(
    configuration: Configuration,
    { state, nonce, verifier }: SignInAttempt,
    query: string,
  ): Promise<OidcIdentity | SignInFault> {
    const { redirectUri } = this.#options;
    try {
      const tokens = await authorizationCodeGrant(configuration, new URL(`${redirectUri}?${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined || tokens.id_token === undefined) throw new Error('there is no ID token');
      const { alg } = decodeProtectedHeader(tokens.id_token);
      if (claims.at_hash !== undefined && !isHashOf(claims.at_hash, tokens.access_token, alg)) {
        throw new ForeignAccessToken();
      }
      return toIdentity(this.#options, await this.#complete(configuration, tokens.access_token, claims));
    } catch (error) {
      return this.#judge(error);
    }
  }

  /** Many providers tell the name and the groups of a user only when they are asked (OpenID Connect Core 1.0 section 5.3). */
  async #complete<Claims extends { readonly sub: string }>(
    configuration: Configuration,
    accessToken: string,
    claims: Claims,
  ): Promise<Claims> {
    const isComplete = readClaim(claims, this.#options.rolesClaim) !== undefined && 'name' in claims;
    if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...(await fetchUserInfo(configuration, accessToken, claims.sub)), ...claims };
  }

  /** @throws Refusal identity_provider_unavailable */
  #judge(error: unknown): SignInFault {
    const { onFailure } = this.#options;
    if (error instanceof AuthorizationResponseError) {
      onFailure({ reason: 'the identity provider did not sign somebody in', code: printable(error.error) });
      return 'denied';
    }
    if (error instanceof ResponseBodyError && error.status < 500) {
      const code = printable(error.error);
      onFailure({ reason: 'the identity provider refused the code of a sign-in', code });
      return code === 'invalid_client' || code === 'unauthorized_client' ? 'client' : 'invalid';
    }
    if (error instanceof WWWAuthenticateChallengeError) {
      onFailure({ reason: 'the identity provider does not accept the client', code: String(error.status) });
      return 'client';
    }
    const code = codeOf(error);
    if (isFailureOfNetwork(error)) throw this.#unavailable(code);
    onFailure({ reason: 'an answer of the identity provider is not acceptable', code });
    return 'invalid';
  }

  #unavailable(code: string): UntoldRefusal {
    this.#options.onFailure({ reason: 'the identity provider did not answer correctly', code });
    return new UntoldRefusal('identity_provider_unavailable', {
      detail:
        'The identity provider does not answer correctly now, so nobody can sign in through it. Try again in a minute, or sign in with an access token.',
      retryAfterSeconds: 10,
    });
  }

  /** Concurrent sign-ins share one read. */
  async #configure(): Promise<Configuration> {
    const { monotonic } = this.#options;
    const known = this.#known;
    if (known !== undefined && monotonic() - known.readAt < freshMilliseconds) return known.configuration;
    this.#reading ??= this.#discover().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #discover(): Promise<Configuration> {
    const { issuer, client, monotonic, timeoutSeconds = 5 } = this.#options;
    try {
      const found = await discovery(new URL(issuer), client.id, {}, None(), {
        execute: issuer.startsWith('http://') ? [allowInsecureRequests] : [],
        [customFetch]: fetchBounded,
        timeout: timeoutSeconds,
      });
      const server = found.serverMetadata();
      if (server.issuer !== issuer) throw new Error('it names another issuer');
      const metadata = { [clockTolerance]: toleranceSeconds };
      const configuration = new Configuration(server, client.id, metadata, authenticationOf(client, server));
      configuration[customFetch] = fetchBounded;
      configuration.timeout = timeoutSeconds;
      if (issuer.startsWith('http://')) allowInsecureRequests(configuration);
      // The signature is checked although the ID token comes from the provider itself: its TLS may end at a proxy.
      enableNonRepudiationChecks(configuration);
      this.#known = { configuration, readAt: monotonic() };
      return configuration;
    } catch (error) {
      throw this.#unavailable(codeOf(error));
    }
  }
}

/** The access token is not the one that was made with the ID token. */
class ForeignAccessToken extends Error {
  readonly code = 'AT_HASH_MISMATCH';
}

/** OpenID Connect Discovery 1.0 section 3: without a list, the provider takes the secret in the header. */
function authenticationOf(
  { secret }: OidcClient,
  { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] }: ServerMetadata,
): ClientAuth {
  if (secret === undefined) return None();
  return methods.includes('client_secret_basic')
    ? ClientSecretBasic(secret.reveal())
    : ClientSecretPost(secret.reveal());
}

const fetchBounded: CustomFetch = async (url, options) => {
  const { body, ...others } = options;
  const response = await fetch(url, body === undefined ? others : { ...others, body });
  const text = await readBoundedText(response.body ?? [], maxAnswerBytes);
  return new Response(text === '' ? null : text, { status: response.status, headers: response.headers });
};

/** The library's errors carry tokens and claims, which must not be logged: only their codes are. */
function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return printable(String(error.code));
  return error instanceof Error ? error.name : 'unknown';
}

function isFailureOfNetwork(error: unknown): boolean {
  const codes = [
    'OAUTH_TIMEOUT',
    'OAUTH_ABORT',
    'OAUTH_RESPONSE_IS_NOT_CONFORM',
    'OAUTH_RESPONSE_IS_NOT_JSON',
  ];
  if (error instanceof ResponseBodyError) return true;
  // `fetch` fails with a TypeError without a code.
  return codes.includes(codeOf(error)) || (error instanceof TypeError && !('code' in error));
}

function printable(text: string): string {
  return text.replaceAll(/[^\w.-]/g, '?').slice(0, 64);
}

/**
 * True if a claim such as `at_hash` is the hash of a value: the left half of its digest (OpenID Connect Core 1.0 section 3.1.3.6).
 *
 * @param algorithm of the signature of the ID token, which was checked: it names the digest
 */
function isHashOf(claim: unknown, value: string, algorithm: string | undefined): boolean {
  const digest = createHash(digestOf(algorithm)).update(value).digest();
  return claim === digest.subarray(0, digest.length / 2).toString('base64url');
}

function digestOf(algorithm = ''): string {
  // EdDSA signs with SHA-512 (RFC 8032 section 5.1).
  return `sha${/(256|384|512)$/.exec(algorithm)?.[0] ?? '512'}`;
}
