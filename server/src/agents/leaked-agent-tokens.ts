import type { AuditService } from '../audit/audit-service.ts';
import type { Clock } from '../clock.ts';
import { noteCredentialChange } from '../credentials/credential-freshness.ts';
import type { Database } from '../database/database.ts';
import { noteEvent } from '../database/note-event.ts';
import type { HandledLeak, LeakedValue, LeakKeeper } from '../leaked-value.ts';
import type { TokenDigest } from '../secret.ts';
import type { LeakMode } from '../settings/setting-types.ts';
import type { AgentService } from './agent-service.ts';
import { listAgentsByTokenDigest } from './agent-store.ts';
import { lockAgentByToken, markLeaked } from './leaked-agent-token-store.ts';
import { deleteAgentTokens } from './registration-store.ts';

interface LeakedAgentTokensOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: AuditService;
  readonly agents: Pick<AgentService, 'forgetTokens'>;
}

/** Tokens of agents whose value was found in public. The agent has to register again. */
export class LeakedAgentTokens implements LeakKeeper {
  readonly #options: LeakedAgentTokensOptions;

  constructor(options: LeakedAgentTokensOptions) {
    this.#options = options;
  }

  async findLeaked(digests: readonly TokenDigest[]): Promise<readonly string[]> {
    const { engine, write } = this.#options.database;
    const found = await listAgentsByTokenDigest({ engine, read: write }, digests);
    return found.filter(({ is_ended }) => is_ended === 0).map(({ digest }) => digest);
  }

  async handleLeak({ digest, source, by }: LeakedValue, mode: LeakMode): Promise<HandledLeak | undefined> {
    const { database, clock, audit, agents } = this.#options;
    const isRevoked = mode === 'revoke';
    const changed = await database.write.transaction().execute(async (trx) => {
      const agent = await lockAgentByToken(trx, database.engine, digest);
      if (agent === undefined || (agent.leaked_at !== null && !isRevoked)) return undefined;
      if (isRevoked) await deleteAgentTokens(trx, agent.id, [digest]);
      else await markLeaked(trx, agent.id, digest, clock());
      await noteEvent(trx, agent.project_id, {
        type: 'token.leaked',
        kind: 'agent',
        tokenID: null,
        agentID: agent.id,
        name: agent.name,
        revoked: isRevoked,
        source,
      });
      await audit.record(trx, by, {
        projectID: agent.project_id,
        action: 'token.leaked',
        target: { kind: 'agent', id: agent.id, name: agent.name },
        after: { source, revoked: isRevoked },
      });
      await noteCredentialChange(trx);
      return agent;
    });
    if (changed === undefined) return undefined;
    agents.forgetTokens([digest]);
    return { kind: 'agent', id: changed.id, projectID: changed.project_id, isRevoked };
  }
}
