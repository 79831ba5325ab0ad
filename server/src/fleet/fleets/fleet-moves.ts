import type { Kysely } from 'kysely';
import type { Clock } from '../../foundation/clock.ts';
import type { Principal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import { noteEvent } from '../../foundation/database/note-event.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { Refusal } from '../../foundation/refusal.ts';
import type { AuditService } from '../../record/audit/audit-service.ts';
import { fleetNotFound, requireFleet } from './fleet-access.ts';
import {
  type FleetAgentRow,
  listFleetIDs,
  lockPlacedAgents,
  type PlacedAgent,
  saveFleetAgent,
  setFleet,
} from './fleet-agent-store.ts';
import type { FleetAgents } from './fleet-agents.ts';
import { type FleetRow, lockFleet } from './fleet-store.ts';
import { noteFleetChange } from './publication-store.ts';
import { leaveStages } from './rollouts/leave-stages.ts';
import { shiftTo } from './shift-agents.ts';

interface FleetMovesOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Pick<AuditService, 'record'>;
  readonly agents: Pick<FleetAgents, 'forget'>;
  /** Writes what agents have shown, and brings the status of each up to date. */
  readonly catchUp: () => Promise<unknown>;
  /** Called in the same turn of the event loop in which a change of a fleet was committed. */
  readonly onChange: (fleetID: string) => void;
}

const maxNamed = 10;
const maxRecorded = 100;

/** Moves agents from one fleet to another. They go on to ask with the ids that they have. */
export class FleetMoves {
  readonly #options: FleetMovesOptions;

  constructor(options: FleetMovesOptions) {
    this.#options = options;
  }

  /** Moves all of these agents, or none. Returns how many were in another fleet. @throws Refusal not_found, agent_not_movable */
  async move(principal: Principal, fleetID: string, agentIDs: readonly string[]): Promise<number> {
    const { database, agents, catchUp, onChange } = this.#options;
    const { project_id: projectID } = await requireFleet(database.read, principal, fleetID);
    const ids = [...new Set(agentIDs.map((id) => id.toLowerCase()))];
    await catchUp();
    const left = await listFleetIDs(database, projectID, ids);
    const moved = await database.write.transaction().execute(async (trx) => {
      // Fleets before agents, so that nothing is published and no rollout goes on meanwhile.
      const fleets = await this.#lock(trx, [...left, fleetID]);
      const target = fleets.get(fleetID);
      if (target === undefined) throw fleetNotFound(fleetID);
      const placed = await lockPlacedAgents(trx, database.engine, projectID, ids);
      // Those that somebody else has moved meanwhile stay where they are now.
      const seats = requireMovable(ids, placed).filter(
        ({ fleet_id }) => fleet_id !== fleetID && left.includes(fleet_id),
      );
      if (seats.length > 0) await this.#move(trx, principal, target, fleets, seats);
      return seats;
    });
    for (const { handle } of moved) if (handle !== null) agents.forget(handle);
    onChange(fleetID);
    return moved.length;
  }

  async #move(
    trx: Kysely<Tables>,
    principal: Principal,
    { id: fleetID, name, project_id: projectID }: FleetRow,
    fleets: ReadonlyMap<string, FleetRow>,
    seats: readonly FleetAgentRow[],
  ): Promise<void> {
    const agentIDs = seats.map(({ agent_id }) => agent_id);
    const left = [...new Set(seats.map(({ fleet_id }) => fleet_id))];
    await leaveStages(trx, this.#options.database.engine, seats);
    for (const row of await shiftTo(trx, fleetID, seats)) await saveFleetAgent(trx, row);
    await setFleet(trx, agentIDs, fleetID);
    const agentsCount = seats.length;
    await noteEvent(trx, projectID, { type: 'fleet.agents_moved', fleetID, name, agentsCount });
    await this.#options.audit.record(trx, principal, {
      projectID,
      action: 'fleet.agents_moved',
      target: { kind: 'fleet', id: fleetID, name },
      before: { fleets: left.map((id) => fleets.get(id)?.name ?? id) },
      after: { agentsCount, agentIDs: agentIDs.slice(0, maxRecorded) },
    });
    await noteFleetChange(trx);
  }

  async #lock(trx: Kysely<Tables>, fleetIDs: readonly string[]): Promise<ReadonlyMap<string, FleetRow>> {
    const locked = new Map<string, FleetRow>();
    for (const id of [...new Set(fleetIDs)].sort()) {
      const row = await lockFleet(trx, this.#options.database.engine, id);
      if (row !== undefined) locked.set(id, row);
    }
    return locked;
  }
}

/** @throws Refusal not_found, agent_not_movable */
function requireMovable(ids: readonly string[], placed: readonly PlacedAgent[]): FleetAgentRow[] {
  const found = new Set(placed.map(({ id }) => id));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length > 0) {
    throw new Refusal('not_found', {
      detail: `The project of the fleet has no agent ${missing.slice(0, maxNamed).join(', ')}.`,
    });
  }
  const fixed = placed.filter(({ seat }) => seat === undefined || seat.handle === null);
  if (fixed.length > 0) {
    const names = fixed.slice(0, maxNamed).map(({ name }) => `'${name}'`);
    throw new Refusal('agent_not_movable', {
      detail: `${names.join(', ')}${fixed.length > maxNamed ? ` and ${fixed.length - maxNamed} more` : ''} asked for no configuration, or with fleet_id, the same id for all agents of a fleet. Only an agent that is configured with fleet_name can be moved: change fleet_id in the configuration of the others.`,
    });
  }
  return placed.flatMap(({ seat }) => seat ?? []);
}
