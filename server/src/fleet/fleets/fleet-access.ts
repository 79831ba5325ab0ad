import type { Kysely } from 'kysely';
import { hasPartIn, type Principal } from '../../foundation/credentials/principal.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { type FleetRow, type FleetRowWithVersion, findFleet } from './fleet-store.ts';

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

const maxAttempts = 5;

/**
 * Tries again what was derived from a fleet that somebody else has changed meanwhile.
 *
 * @param attempt undefined: it was changed, and nothing was done
 * @throws Refusal overloaded
 */
export async function untilUnchanged<Done>(attempt: () => Promise<Done | undefined>): Promise<Done> {
  for (let made = 0; made < maxAttempts; made += 1) {
    const done = await attempt();
    if (done !== undefined) return done;
  }
  throw new Refusal('overloaded', {
    detail: 'Others kept changing the same fleet, so that nothing was changed. Send the request again.',
    retryAfterSeconds: 1,
  });
}

/** Whether a locked fleet is as it was read, with what it serves and its files. */
export function isAsRead(locked: FleetRow, read: FleetRow): boolean {
  return locked.current_version_id === read.current_version_id && locked.updated_at === read.updated_at;
}

export function fleetNotFound(id: string): Refusal {
  return new Refusal('not_found', { detail: `There is no fleet ${id} that this credential can see.` });
}
