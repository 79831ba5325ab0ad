import type { Kysely } from 'kysely';
import type { Clock } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { listKnownDigests } from '../../foundation/database/token-values.ts';
import type { TokenDigest } from '../../foundation/secret.ts';
import type { AuditChange } from '../../record/audit/audit-service.ts';
import type { AgentService } from './agent-service.ts';
import { lockAgentByToken, markLeaked } from './leaked-agent-token-store.ts';
import { deleteAgentTokens } from './registration-store.ts';

interface LeakedAgentTokensOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly agents: Pick<AgentService, 'forgetTokens'>;
}

/** Tokens of agents whose value was found in public, as a `LeakableKind`. The agent has to register again. */
export function leakedAgentTokens({ database, clock, agents }: LeakedAgentTokensOptions) {
  return {
    kind: 'agent' as const,
    isAlwaysEnded: false,
    findLeaked: (digests: readonly TokenDigest[]) => listKnownDigests(database, ['agent_tokens'], digests),
    async lock(
      trx: Kysely<Tables>,
      { digest, source }: { readonly digest: TokenDigest; readonly source: string | null },
    ) {
      const agent = await lockAgentByToken(trx, database.engine, digest);
      if (agent === undefined) return undefined;
      const { id, name, project_id: projectID } = agent;
      return {
        id,
        projectID,
        isTold: agent.leaked_at !== null,
        mark: () => markLeaked(trx, id, digest, clock()),
        end: () => deleteAgentTokens(trx, id, [digest]),
        event: (revoked: boolean) => ({
          type: 'token.leaked',
          kind: 'agent',
          tokenID: null,
          agentID: id,
          name,
          revoked,
          source,
        }),
        change: (revoked: boolean): AuditChange => ({
          projectID,
          action: 'token.leaked',
          target: { kind: 'agent', id, name },
          after: { source, revoked },
        }),
        forget: () => agents.forgetTokens([digest]),
      };
    },
  };
}
