import type { Principal } from '../../../foundation/credentials/principal.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { type ConfigDifference, diffConfigs } from '../../../foundation/diff-configs.ts';
import { Refusal } from '../../../foundation/refusal.ts';
import { PacedTurns } from '../../../foundation/scheduling/paced-turns.ts';
import type { AgentService } from '../agent-service.ts';
import type { AgentConfigRow } from '../agent-store.ts';
import * as store from './config-diff-store.ts';

interface ConfigDiffOptions {
  readonly database: Database;
  readonly agents: Pick<AgentService, 'requireAgent'>;
}

/** Absent ids: the configuration before `to`, and the current one. */
interface ComparedIDs {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

interface ConfigComparison {
  /** Undefined: there is none before `to`. */
  readonly from: AgentConfigRow | undefined;
  readonly to: AgentConfigRow;
  readonly difference: ConfigDifference;
}

/** Compares the configurations of an agent, as they are stored. */
export class ConfigDiffService {
  readonly #options: ConfigDiffOptions;
  readonly #turns = new PacedTurns();

  constructor(options: ConfigDiffOptions) {
    this.#options = options;
  }

  /** @throws Refusal not_found, agent_deleted */
  async compare(principal: Principal, agentID: string, ids: ComparedIDs): Promise<ConfigComparison> {
    const { agents, database } = this.#options;
    await agents.requireAgent(principal, agentID);
    const to = await store.findConfigByID(database.read, agentID, ids.to);
    if (to === undefined) throw configNotFound(agentID, ids.to);
    const from =
      ids.from === undefined
        ? await store.findConfigBefore(database.read, agentID, to)
        : await store.findConfigByID(database.read, agentID, ids.from);
    if (from === undefined && ids.from !== undefined) throw configNotFound(agentID, ids.from);
    const difference = await this.#turns.run(() => diffConfigs(from?.raw_config ?? '', to.raw_config));
    return { from, to, difference };
  }
}

function configNotFound(agentID: string, id: string | undefined): Refusal {
  const detail =
    id === undefined
      ? `The agent ${agentID} has not sent a configuration.`
      : `There is no configuration ${id} in the history of the agent ${agentID}; the latest 100 are kept.`;
  return new Refusal('not_found', { detail });
}
