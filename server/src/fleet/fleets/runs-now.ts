import type { Kysely } from 'kysely';
import type { Tables } from '../../foundation/database/tables.ts';
import type { FleetSeat, SeatedAgent } from '../fleet-roll.ts';
import type { FleetAgentRow } from './fleet-agent-store.ts';
import { findCurrent } from './publication-store.ts';
import { findNewestRollout, noteShared } from './rollouts/rollout-store.ts';

/** When an agent asked for what it has loaded, counted from when it says that it runs it. */
const reloadMilliseconds = 30_000;

/**
 * What an agent runs that asks with the id of its fleet, as others do, and reports another configuration than before. Only one that ran what the fleet serves to
 * everybody can have got the version of a rollout, and no more of them than got it; only one that ran that can have gone back.
 */
export async function runsNow(
  trx: Kysely<Tables>,
  { id: agentID, now }: SeatedAgent,
  { fleetID }: FleetSeat,
  stored: FleetAgentRow | undefined,
): Promise<Partial<FleetAgentRow>> {
  // At first it reports what it had before it asked.
  if (stored?.fleet_id !== fleetID || stored.handle !== null) return {};
  const current = await findCurrent(trx, fleetID);
  if (current === undefined || now <= current.publishedAt) return {};
  const ran = stored.applied_seconds;
  const rollout = await findNewestRollout(trx, fleetID);
  const runs = (seconds: number) => ({
    applied_seconds: seconds,
    offered_seconds: seconds,
    offered_at: now - reloadMilliseconds,
  });
  if (rollout === undefined || rollout.to_seconds <= current.seconds) return runs(current.seconds);
  const { to_seconds: to, back_seconds: back } = rollout;
  if (ran === to) return back === null ? {} : runs(back);
  const hasGot = ran === current.seconds && back === null && (await noteShared(trx, rollout, agentID));
  return runs(hasGot ? to : current.seconds);
}
