import { sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import { isAnyID } from '../../foundation/database/is-any-id.ts';

/** An agent that asks for its configuration with an id of its own, at the site where it was heard last. */
export interface SeatAtSite {
  readonly fleet_id: string;
  readonly agent_id: string;
  readonly handle: string;
  readonly home_fleet_id: string | null;
  readonly shift_seconds: number;
}

/** The agents that were last heard at a site: those of these fleets, and those that get other dates, or another fleet than they ask for. */
export async function listSeatsAtSite(
  { engine, read }: Pick<Database, 'engine' | 'read'>,
  { projectID, coreInstanceID }: { readonly projectID: string; readonly coreInstanceID: string },
  fleetIDs: readonly string[],
): Promise<SeatAtSite[]> {
  return read
    .selectFrom('agent_signs as signs')
    .innerJoin('fleet_agents as seats', (join) =>
      join.onRef('seats.project_id', '=', 'signs.project_id').onRef('seats.agent_id', '=', 'signs.agent_id'),
    )
    .innerJoin('agents', 'agents.id', 'seats.agent_id')
    .where('signs.core_instance_id', '=', coreInstanceID)
    .where('seats.project_id', '=', projectID)
    .where(({ or }) =>
      or([
        isAnyID(engine, sql.ref('seats.fleet_id'), fleetIDs),
        sql<boolean>`(seats.home_fleet_id is not null or seats.shift_seconds > 0)`,
      ]),
    )
    .where('seats.handle', 'is not', null)
    .where('agents.deleted_at', 'is', null)
    .select([
      'seats.fleet_id',
      'seats.agent_id',
      'seats.handle',
      'seats.home_fleet_id',
      'seats.shift_seconds',
    ])
    .orderBy('seats.agent_id')
    .$narrowType<{ handle: string }>()
    .execute();
}
