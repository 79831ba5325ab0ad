import type { Kysely } from 'kysely';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { AgentConfigRow } from '../agent-store.ts';

/** A configuration in the history of an agent; without an id, the one that the agent runs. */
export async function findConfigByID(
  db: Kysely<Tables>,
  agentID: string,
  id: string | undefined,
): Promise<AgentConfigRow | undefined> {
  const ofAgent = selectConfigs(db, agentID);
  return (id === undefined ? ofAgent.limit(1) : ofAgent.where('id', '=', id)).executeTakeFirst();
}

/** The configuration that the agent ran before another one. */
export async function findConfigBefore(
  db: Kysely<Tables>,
  agentID: string,
  { epoch }: AgentConfigRow,
): Promise<AgentConfigRow | undefined> {
  return selectConfigs(db, agentID).where('epoch', '<', epoch).limit(1).executeTakeFirst();
}

function selectConfigs(db: Kysely<Tables>, agentID: string) {
  return db.selectFrom('agent_configs').selectAll().where('agent_id', '=', agentID).orderBy('epoch', 'desc');
}
