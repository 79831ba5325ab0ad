import { sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import { isAnyID } from '../../foundation/database/is-any-id.ts';

/** An agent that asks for its configuration with an id of its own. */
export interface ServedSeat {
  readonly fleet_id: string;
  readonly agent_id: string;
  readonly handle: string;
  readonly shift_seconds: number;
  /** 1: it was heard last at the site. */
  readonly is_here: number;
}

interface Site {
  readonly projectID: string;
  readonly coreInstanceID: string;
}

/**
 * Of the agents that were heard last at a site, those of these fleets and those that get other dates. Of all others, those that were moved: their ids name another fleet, which a
 * site would serve them that has not heard of it.
 */
export async function listServedSeats(
  { engine, read }: Pick<Database, 'engine' | 'read'>,
  { projectID, coreInstanceID }: Site,
  fleetIDs: readonly string[],
): Promise<ServedSeat[]> {
  const here = read
    .selectFrom('agent_signs as signs')
    .innerJoin('fleet_agents as seats', (join) =>
      join.onRef('seats.project_id', '=', 'signs.project_id').onRef('seats.agent_id', '=', 'signs.agent_id'),
    )
    .where('signs.core_instance_id', '=', coreInstanceID)
    .where('seats.project_id', '=', projectID)
    .where(({ or, eb }) =>
      or([isAnyID(engine, sql.ref('seats.fleet_id'), fleetIDs), eb('seats.shift_seconds', '>', 0)]),
    )
    .where('seats.handle', 'is not', null)
    .select(served)
    .select(sql<number>`1`.as('is_here'));
  // A separate statement could miss one that is moved meanwhile.
  const movedElsewhere = read
    .selectFrom('fleet_agents as seats')
    .leftJoin('agent_signs as signs', (join) =>
      join.onRef('signs.project_id', '=', 'seats.project_id').onRef('signs.agent_id', '=', 'seats.agent_id'),
    )
    .where('seats.project_id', '=', projectID)
    .where('seats.home_fleet_id', 'is not', null)
    .where('signs.core_instance_id', 'is distinct from', coreInstanceID)
    .where('seats.handle', 'is not', null)
    .select(served)
    .select(sql<number>`0`.as('is_here'));
  return here.unionAll(movedElsewhere).orderBy('agent_id').$narrowType<{ handle: string }>().execute();
}

/** SQLite sorts what is joined by names that were given. */
const served = [
  'seats.fleet_id',
  'seats.agent_id as agent_id',
  'seats.handle',
  'seats.shift_seconds',
] as const;
