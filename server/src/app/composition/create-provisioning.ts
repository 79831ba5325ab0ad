import type { ProjectService } from '../../fleet/projects/project-service.ts';
import { ProvisionedMemberService } from '../../people/members/provisioned-member-service.ts';
import { ProvisioningService } from '../../people/provisioning/provisioning-service.ts';
import { ProvisionedTokenService } from '../../people/tokens/provisioned-token-service.ts';
import type { TokenService } from '../../people/tokens/token-service.ts';
import type { AppParts } from './app-parts.ts';
import type { People } from './create-people.ts';

interface Provisioned {
  readonly people: People;
  readonly projects: ProjectService;
  readonly tokens: TokenService;
}

/** What makes projects, members and tokens as a file says. */
export function createProvisioning(
  parts: AppParts,
  { people, projects, tokens }: Provisioned,
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
    onChanged() {
      users.credentials.forgetAll();
      // Also those that are remembered as unknown.
      tokens.credentials.forgetAll();
    },
  });
}
