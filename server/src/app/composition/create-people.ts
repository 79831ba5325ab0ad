import { OwnCookies } from '../../foundation/http/authentication/own-cookies.ts';
import { SummedWarning } from '../../foundation/http/summed-warning.ts';
import { RotationService } from '../../people/rotations/rotation-service.ts';
import { AccessTokenService } from '../../people/users/access-token-service.ts';
import { createOidcCheck } from '../../people/users/oidc-credential.ts';
import { ProviderSignInService } from '../../people/users/sessions/provider-sign-in-service.ts';
import { SessionCredentials } from '../../people/users/sessions/session-credentials.ts';
import { SessionService } from '../../people/users/sessions/session-service.ts';
import { SignInLinkService } from '../../people/users/sessions/sign-in-link-service.ts';
import { UserService } from '../../people/users/user-service.ts';
import type { AppParts } from './app-parts.ts';

const hourMilliseconds = 3_600_000;

export type People = ReturnType<typeof createPeople>;

/** Users, their access tokens, and the identity provider that knows them. */
export function createPeople(parts: AppParts) {
  const { config, logger } = parts;
  const providerWarning = new SummedWarning(
    logger,
    'tokens of the identity provider could not be checked and were refused with 503: see MUSTER_OIDC_ISSUER',
  );
  const { issuer, audience } = config.oidc ?? {};
  const oidc =
    issuer === undefined || audience === undefined
      ? undefined
      : createOidcCheck({
          issuer,
          audience,
          rolesClaim: config.oidcRolesClaim,
          ...parts,
          onUnavailable: (failure) => providerWarning.note(failure),
        });
  const rotations = new RotationService(parts);
  const cookies = new OwnCookies(config.publicUrl?.startsWith('https://') ?? config.tls !== undefined);
  const idleMilliseconds = config.sessionIdleHours * hourMilliseconds;
  const sessionCredentials: SessionCredentials = new SessionCredentials({
    ...parts,
    accessOf: (user) => users.accessOf(user),
    issuer,
    idleMilliseconds,
    cookieName: cookies.sessionName,
  });
  const users = new UserService({
    ...parts,
    rotations,
    sessions: sessionCredentials,
    oidc,
    oidcRoles: config.oidcRoles,
  });
  const accessTokens = new AccessTokenService({
    ...parts,
    rotations,
    users,
    providedTokenHours: config.oidcAccessTokenHours,
  });
  const sessions = new SessionService({
    ...parts,
    credentials: sessionCredentials,
    idleMilliseconds,
    maxMilliseconds: config.sessionMaxDays * 24 * hourMilliseconds,
  });
  const providerSignIn = createProviderSignIn(parts, { users, sessions });
  const signInLinks = new SignInLinkService({ ...parts, sessions });
  return {
    users,
    accessTokens,
    rotations,
    sessionCredentials,
    sessions,
    signInLinks,
    providerSignIn,
    cookies,
  };
}

function createProviderSignIn(
  parts: AppParts,
  services: { readonly users: UserService; readonly sessions: SessionService },
): ProviderSignInService | undefined {
  const { config, logger } = parts;
  const { oidc, oidcClient: client, publicUrl } = config;
  if (oidc === undefined || client === undefined || publicUrl === undefined) return undefined;
  return new ProviderSignInService({
    ...parts,
    ...services,
    issuer: oidc.issuer,
    client,
    redirectUri: `${publicUrl}/sign_in/callback`,
    rolesClaim: config.oidcRolesClaim,
    maxHours: config.oidcAccessTokenHours,
    onFailure: (failure) => logger.warn(failure, 'somebody could not sign in through the identity provider'),
  });
}
