import { SummedWarning } from '../http/summed-warning.ts';
import { RotationService } from '../rotations/rotation-service.ts';
import { AccessTokenService } from '../users/access-token-service.ts';
import { createOidcCheck } from '../users/oidc-credential.ts';
import { UserService } from '../users/user-service.ts';
import type { AppParts } from './app-parts.ts';

export type People = ReturnType<typeof createPeople>;

/** Users, their access tokens, and the identity provider that knows them. */
export function createPeople(parts: AppParts) {
  const { config, logger } = parts;
  const providerWarning = new SummedWarning(
    logger,
    'tokens of the identity provider could not be checked and were refused with 503: see MUSTER_OIDC_ISSUER',
  );
  const oidc =
    config.oidc === undefined
      ? undefined
      : createOidcCheck({
          ...config.oidc,
          rolesClaim: config.oidcRolesClaim,
          ...parts,
          onUnavailable: (failure) => providerWarning.note(failure),
        });
  const rotations = new RotationService(parts);
  const users = new UserService({
    ...parts,
    rotations,
    oidc,
    oidcRoles: config.oidcRoles,
  });
  const accessTokens = new AccessTokenService({
    ...parts,
    rotations,
    users,
    providedTokenHours: config.oidcAccessTokenHours,
  });
  return { users, accessTokens, rotations };
}
