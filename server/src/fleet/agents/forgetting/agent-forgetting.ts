import { reachableSince } from '@muster/contract';
import type { Clock } from '../../../foundation/clock.ts';
import type { Database } from '../../../foundation/database/database.ts';
import type { AuditService } from '../../../record/audit/audit-service.ts';
import type { AgentDeletion } from '../deletion/agent-deletion.ts';
import type { SilenceOfAgents } from '../deletion/agent-deletion-store.ts';
import type { SignsOfLife } from '../liveness/signs-of-life.ts';
import { listenedSince } from './listened-time.ts';
import { listListeningPeriods, noteListening } from './listening-period-store.ts';
import { listSilentAgents, type SilentAgent } from './silent-agent-store.ts';

interface AgentForgettingOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Pick<AuditService, 'recordLater'>;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly signs: Pick<SignsOfLife, 'flush'>;
  readonly deletion: Pick<AgentDeletion, 'deleteAgents'>;
  /** Number of days; 0: agents are never forgotten. */
  readonly days: number;
  /** Called with the number of agents of a project that were forgotten. */
  readonly onForgotten: (projectID: string, agents: number) => void;
}

const dayMilliseconds = 86_400_000;
const portionSize = 200;

/**
 * Deletes agents that were not heard for some days. Only time in which the service listened counts, so that a service that was
 * down, or whose clock was set forward, does not forget its fleet.
 */
export class AgentForgetting {
  readonly #options: AgentForgettingOptions;

  constructor(options: AgentForgettingOptions) {
    this.#options = options;
  }

  /** Records that the service listens, also if agents are never forgotten: that may be changed later. */
  async noteListening(): Promise<void> {
    await noteListening(this.#options.database, this.#options.clock());
  }

  /** Deletes the agents that were not heard for too long. */
  async forget(): Promise<void> {
    const { database, closing, signs, days } = this.#options;
    if (days === 0) return;
    const periods = await listListeningPeriods(database);
    const before = listenedSince(periods, days * dayMilliseconds);
    if (before === undefined) return;
    // What was heard of agents in the last seconds decides too.
    await signs.flush();
    const reason = `not heard for ${days} ${days === 1 ? 'day' : 'days'}`;
    const silence = { reason, notSeenSince: before, deliveredSince: reachableSince(this.#options.clock()) };
    let after: SilentAgent | undefined;
    do {
      const silent = await listSilentAgents(database, silence, after, portionSize);
      for (const projectID of new Set(silent.map((agent) => agent.projectID))) {
        const ids = silent.filter((agent) => agent.projectID === projectID).map(({ id }) => id);
        await this.#forgetAgents(projectID, ids, silence);
      }
      after = silent.length === portionSize ? silent.at(-1) : undefined;
    } while (after !== undefined && !closing.aborted);
  }

  async #forgetAgents(projectID: string, ids: readonly string[], silence: SilenceOfAgents): Promise<void> {
    const { deletion, onForgotten, audit } = this.#options;
    const change = {
      projectID,
      action: 'agents.deleted',
      target: { kind: 'project', id: projectID },
      after: { reason: silence.reason },
    } as const;
    const by = { kind: 'system', name: 'MUSTER_FORGET_AGENTS_DAYS' } as const;
    const deleted = await deletion.deleteAgents(projectID, ids, {
      silence,
      record: (trx, agentIDs) => audit.recordLater(trx, by, change, { agentIDs }),
    });
    if (deleted > 0) onForgotten(projectID, deleted);
  }
}
