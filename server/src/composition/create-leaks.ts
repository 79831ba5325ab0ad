import { AddressBuckets } from '@muster/http/limits/address-buckets';
import { LeakedAgentTokens } from '../agents/leaked-agent-tokens.ts';
import { LeakedCoreInstances } from '../core-instances/leaked-core-instances.ts';
import type { HandledLeak } from '../leaked-value.ts';
import { leakReportsPerMinute } from '../leaks/leak-routes.ts';
import { LeakService } from '../leaks/leak-service.ts';
import { LeakedInvitations } from '../members/leaked-invitations.ts';
import { LeakedProjectTokens } from '../tokens/leaked-project-tokens.ts';
import type { TokenService } from '../tokens/token-service.ts';
import { LeakedAccessTokens } from '../users/leaked-access-tokens.ts';
import { LeakedSessions } from '../users/sessions/leaked-sessions.ts';
import { LeakedSignInLinks } from '../users/sessions/leaked-sign-in-links.ts';
import type { AppParts } from './app-parts.ts';
import type { CoreInstances } from './create-core-instances.ts';
import type { Fleet } from './create-fleet.ts';
import type { People } from './create-people.ts';

/** Whatever MUSTER_LEAKED_TOKENS is. */
const alwaysEnded: ReadonlySet<HandledLeak['kind']> = new Set(['invitation', 'session', 'sign_in_link']);

interface LeakLinks {
  readonly people: People;
  readonly fleet: Pick<Fleet, 'agents'>;
  readonly tokens: TokenService;
  readonly coreInstances: CoreInstances;
}

export type Leaks = ReturnType<typeof createLeaks>;

/** What is done about credentials that somebody has found in public. */
export function createLeaks(parts: AppParts, { people, fleet, tokens, coreInstances }: LeakLinks) {
  const { config, logger, monotonic } = parts;
  const { rotations, users, sessionCredentials } = people;
  const leaks = new LeakService({
    ...parts,
    mode: config.leakedTokens,
    onHandled: ({ kind, id, projectID, isRevoked }) =>
      logger.warn({ kind, id, projectID }, messageOf(kind, isRevoked)),
    keepers: [
      new LeakedProjectTokens({ ...parts, rotations, tokens }),
      new LeakedAccessTokens({ ...parts, rotations, users }),
      new LeakedAgentTokens({ ...parts, agents: fleet.agents }),
      new LeakedCoreInstances({ ...parts, ...coreInstances }),
      new LeakedInvitations(parts),
      new LeakedSessions({ ...parts, credentials: sessionCredentials }),
      new LeakedSignInLinks(parts),
    ],
  });
  const reporters = new AddressBuckets({ perMinute: leakReportsPerMinute, clock: monotonic });
  return { leaks, reporters };
}

function messageOf(kind: HandledLeak['kind'], isRevoked: boolean): string {
  const found = 'a credential was reported as found in public, and is';
  if (alwaysEnded.has(kind)) return `${found} ended`;
  return isRevoked
    ? `${found} revoked (MUSTER_LEAKED_TOKENS=revoke)`
    : `${found} still valid: revoke or rotate it (MUSTER_LEAKED_TOKENS=report)`;
}
