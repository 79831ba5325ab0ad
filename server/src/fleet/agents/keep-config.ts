import type { Kysely } from 'kysely';
import type { Tables } from '../../foundation/database/tables.ts';
import { digestOfShared } from '../config-structure.ts';
import * as store from './agent-store.ts';
import type { ReadConfig } from './description-limits.ts';

const keptConfigs = 100;
/** Of an agent. */
const firstEpoch = 1;

/** Adds the configuration to the agent's history if the previous statement found that it has changed. */
export async function keepConfig(
  trx: Kysely<Tables>,
  agent: store.AgentAfterChange,
  config: ReadConfig | undefined,
  now: number,
): Promise<void> {
  if (config === undefined || agent.config_id !== config.id) return;
  await store.insertAgentConfig(trx, {
    agent_id: agent.id,
    id: config.id,
    epoch: agent.epoch,
    raw_config: config.stored,
    created_at: now,
    project_id: agent.project_id,
    // What is left out has the same note everywhere.
    text_digest: config.isLeftOut
      ? config.digest.slice(0, 32)
      : digestOfShared(config.stored, [agent.machine_id, agent.name]),
  });
  const oldestEpoch = agent.epoch - keptConfigs + 1;
  if (oldestEpoch > firstEpoch) await store.deleteOldAgentConfigs(trx, agent.id, oldestEpoch);
}
