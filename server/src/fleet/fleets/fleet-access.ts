import type { Kysely } from 'kysely';
import { hasPartIn, type Principal } from '../../foundation/credentials/principal.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { type FleetRowWithVersion, findFleet } from './fleet-store.ts';

/** A fleet that the caller may see. One of others is refused like a missing one. @throws Refusal not_found */
export async function requireFleet(
  db: Kysely<Tables>,
  principal: Principal,
  id: string,
): Promise<FleetRowWithVersion> {
  const row = await findFleet(db, id);
  if (row === undefined || !hasPartIn(principal, row.project_id)) throw fleetNotFound(id);
  return row;
}

export function fleetNotFound(id: string): Refusal {
  return new Refusal('not_found', { detail: `There is no fleet ${id} that this credential can see.` });
}
