import { AddressBuckets } from '@muster/http/limits/address-buckets';
import { leakedCoreInstances } from '../../core-instances/leaked-core-instances.ts';
import { leakedAgentTokens } from '../../fleet/agents/leaked-agent-tokens.ts';
import { CredentialLeaks } from '../../people/leaks/credential-leaks.ts';
import { leakReportsPerMinute } from '../../people/leaks/leak-routes.ts';
import { LeakService } from '../../people/leaks/leak-service.ts';
import { leakedInvitations } from '../../people/members/leaked-invitations.ts';
import { leakedProjectTokens } from '../../people/tokens/leaked-project-tokens.ts';
import type { TokenService } from '../../people/tokens/token-service.ts';
import { leakedAccessTokens } from '../../people/users/leaked-access-tokens.ts';
import { leakedSessions, leakedSignInLinks } from '../../people/users/sessions/leaked-sessions.ts';
import type { AppParts } from './app-parts.ts';
import type { CoreInstances } from './create-core-instances.ts';
import type { Fleet } from './create-fleet.ts';
import type { People } from './create-people.ts';

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
  const kinds = [
    leakedProjectTokens({ ...parts, rotations, tokens }),
    leakedAccessTokens({ ...parts, rotations, users }),
    leakedAgentTokens({ ...parts, agents: fleet.agents }),
    leakedCoreInstances({ ...parts, ...coreInstances }),
    leakedInvitations(parts),
    leakedSessions({ ...parts, credentials: sessionCredentials }),
    leakedSignInLinks(parts),
  ];
  const alwaysEnded = new Set(kinds.filter(({ isAlwaysEnded }) => isAlwaysEnded).map(({ kind }) => kind));
  const leaks = new LeakService({
    ...parts,
    mode: config.leakedTokens,
    onHandled({ kind, id, projectID, isRevoked }) {
      logger.warn({ kind, id, projectID }, messageOf(isRevoked, alwaysEnded.has(kind)));
    },
    keepers: kinds.map((kind) => new CredentialLeaks({ ...parts, kind })),
  });
  const reporters = new AddressBuckets({ perMinute: leakReportsPerMinute, clock: monotonic });
  return { leaks, reporters };
}

function messageOf(isRevoked: boolean, isAlwaysEnded: boolean): string {
  const found = 'a credential was reported as found in public, and is';
  if (isAlwaysEnded) return `${found} ended`;
  return isRevoked
    ? `${found} revoked (MUSTER_LEAKED_TOKENS=revoke)`
    : `${found} still valid: revoke or rotate it (MUSTER_LEAKED_TOKENS=report)`;
}
