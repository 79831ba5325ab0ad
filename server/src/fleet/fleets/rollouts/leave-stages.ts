import type { Kysely } from 'kysely';
import type { Engine } from '../../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { FleetAgentRow } from '../fleet-agent-store.ts';
import { countHeardInStage, expectFewer, findNewestRollout } from './rollout-store.ts';

/**
 * No stage waits for agents that leave their fleets. Called before they are gone from there, by a transaction that has locked the fleets.
 */
export async function leaveStages(
  trx: Kysely<Tables>,
  engine: Engine,
  seats: readonly Pick<FleetAgentRow, 'agent_id' | 'fleet_id'>[],
): Promise<void> {
  const agentsOf = new Map<string, string[]>();
  for (const { fleet_id: fleetID, agent_id: agentID } of seats)
    agentsOf.set(fleetID, [...(agentsOf.get(fleetID) ?? []), agentID]);
  for (const [fleetID, agentIDs] of agentsOf) {
    const row = await findNewestRollout(trx, fleetID);
    if (row?.state !== 'running' && row?.state !== 'waiting' && row?.state !== 'paused') continue;
    const leaving = await countHeardInStage(trx, engine, row, agentIDs);
    if (leaving > 0) await expectFewer(trx, row.id, leaving);
  }
}
