import { ProvisionedMemberService } from '../members/provisioned-member-service.ts';
import type { ProjectService } from '../projects/project-service.ts';
import { ProvisioningService } from '../provisioning/provisioning-service.ts';
import { ProvisionedTokenService } from '../tokens/provisioned-token-service.ts';
import type { TokenService } from '../tokens/token-service.ts';
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
