import { LeakedAgentTokens } from '../agents/leaked-agent-tokens.ts';
import { AddressBuckets } from '../http/authentication/address-buckets.ts';
import { leakReportsPerMinute } from '../leaks/leak-routes.ts';
import { LeakService } from '../leaks/leak-service.ts';
import { LeakedInvitations } from '../members/leaked-invitations.ts';
import { LeakedProjectTokens } from '../tokens/leaked-project-tokens.ts';
import type { TokenService } from '../tokens/token-service.ts';
import { LeakedAccessTokens } from '../users/leaked-access-tokens.ts';
import type { AppParts } from './app-parts.ts';
import type { Fleet } from './create-fleet.ts';
import type { People } from './create-people.ts';

interface LeakLinks {
  readonly people: People;
  readonly fleet: Pick<Fleet, 'agents'>;
  readonly tokens: TokenService;
}

export type Leaks = ReturnType<typeof createLeaks>;

/** What is done about credentials that somebody has found in public. */
export function createLeaks(parts: AppParts, { people, fleet, tokens }: LeakLinks) {
  const { config, logger, monotonic } = parts;
  const { rotations, users } = people;
  const leaks = new LeakService({
    ...parts,
    mode: config.leakedTokens,
    onHandled: ({ kind, id, projectID, isRevoked }) =>
      logger.warn(
        { kind, id, projectID },
        isRevoked
          ? 'a credential was reported as found in public, and is revoked (MUSTER_LEAKED_TOKENS=revoke)'
          : 'a credential was reported as found in public, and is still valid: revoke or rotate it (MUSTER_LEAKED_TOKENS=report)',
      ),
    keepers: [
      new LeakedProjectTokens({ ...parts, rotations, tokens }),
      new LeakedAccessTokens({ ...parts, rotations, users }),
      new LeakedAgentTokens({ ...parts, agents: fleet.agents }),
      new LeakedInvitations(parts),
    ],
  });
  const reporters = new AddressBuckets({ perMinute: leakReportsPerMinute, clock: monotonic });
  return { leaks, reporters };
}
