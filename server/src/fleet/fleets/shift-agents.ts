import { zoneStepSeconds } from '@muster/http/fleets/meant-seconds';
import type { Kysely } from 'kysely';
import type { Tables } from '../../foundation/database/tables.ts';
import type { FleetAgentRow } from './fleet-agent-store.ts';
import { findCurrent, findNewestSeconds, listPublications } from './publication-store.ts';

/**
 * Agents as they are in another fleet: what they get there is later than everything that they have, and nothing is known of what they run. Inside a
 * transaction of the caller. The agents must get nothing of their earlier fleets any more that is published meanwhile.
 *
 * @param seats of one project
 */
export async function shiftTo(
  trx: Kysely<Tables>,
  fleetID: string,
  seats: readonly FleetAgentRow[],
): Promise<FleetAgentRow[]> {
  const [first] = seats;
  if (first === undefined) return [];
  const current = await findCurrent(trx, fleetID);
  const taken = new Set(
    (await listPublications(trx, first.project_id)).map(({ seconds }) => seconds % zoneStepSeconds),
  );
  const newest = new Map<string, number>();
  for (const { fleet_id } of seats)
    if (!newest.has(fleet_id)) newest.set(fleet_id, (await findNewestSeconds(trx, fleet_id)) ?? 0);
  return seats.map((seat) => {
    const latest = newest.get(seat.fleet_id) ?? 0;
    const shown = [seat.offered_seconds, seat.downloaded_seconds].filter((seconds) => seconds !== null);
    return {
      ...seat,
      fleet_id: fleetID,
      home_fleet_id: homeIn(fleetID, seat),
      shift_seconds: nextShift({
        shift: seat.shift_seconds,
        latest,
        says: shown.length > 0 ? shown : [latest],
        first: current?.seconds ?? latest + 1,
        taken,
      }),
      offered_seconds: null,
      offered_at: null,
      downloaded_seconds: null,
      downloaded_at: null,
      applied_seconds: null,
      structure: null,
      values_digest: null,
    };
  });
}

function homeIn(fleetID: string, { fleet_id, home_fleet_id }: FleetAgentRow): string | null {
  const home = home_fleet_id ?? fleet_id;
  return home === fleetID ? null : home;
}

interface Shifted {
  readonly shift: number;
  /** The latest publication that the agent may have got. */
  readonly latest: number;
  /** The one or two of which it may say next that it has them. */
  readonly says: readonly number[];
  /** The earliest publication that it can get. */
  readonly first: number;
  /** The recent publications, modulo 15 minutes. */
  readonly taken: ReadonlySet<number>;
}

/**
 * The next difference between the dates of an agent and those of publications: with it, the first publication is later than everything that the agent has.
 * What it says next is still one of its earlier dates, in whatever zone it is, and must not be taken for a publication.
 */
export function nextShift({ shift, latest, says, first, taken }: Shifted): number {
  let next = shift + Math.max(0, latest - first) + 1;
  // A third of all places is taken, so that one is free for both.
  while (says.some((seconds) => taken.has(modulo(seconds + shift - next)))) next += 1;
  return next;
}

function modulo(seconds: number): number {
  return ((seconds % zoneStepSeconds) + zoneStepSeconds) % zoneStepSeconds;
}
