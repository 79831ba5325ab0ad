import type { ProjectService } from '../../fleet/projects/project-service.ts';
import { ProvisionedMemberService } from '../../people/members/provisioned-member-service.ts';
import { ProvisionedFleetService } from '../../people/provisioning/provisioned-fleet-service.ts';
import { ProvisioningService } from '../../people/provisioning/provisioning-service.ts';
import { ProvisionedTokenService } from '../../people/tokens/provisioned-token-service.ts';
import type { TokenService } from '../../people/tokens/token-service.ts';
import type { AppParts } from './app-parts.ts';
import type { Fleets } from './create-fleets.ts';
import type { People } from './create-people.ts';

interface Provisioned {
  readonly people: People;
  readonly projects: ProjectService;
  readonly tokens: TokenService;
  readonly fleets: Pick<Fleets, 'fleets' | 'forgetAll'>;
}

/** What makes projects, members, tokens and fleets as a file says. */
export function createProvisioning(
  parts: AppParts,
  { people, projects, tokens, fleets }: Provisioned,
): ProvisioningService {
  const { config } = parts;
  const { rotations, users } = people;
  return new ProvisioningService({
    ...parts,
    projects,
    users,
    members: new ProvisionedMemberService({ ...parts, users, issuer: config.oidc?.issuer }),
    tokens: new ProvisionedTokenService({
      ...parts,
      rotations,
      tokens,
      providedTokenDays: config.oidcProjectTokenDays,
    }),
    fleets: new ProvisionedFleetService({ ...parts, fleets: fleets.fleets }),
    onChanged() {
      fleets.forgetAll();
      users.credentials.forgetAll();
      // Also those that are remembered as unknown.
      tokens.credentials.forgetAll();
    },
  });
}
