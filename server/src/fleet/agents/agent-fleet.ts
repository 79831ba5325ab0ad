import type { Agent } from '@muster/contract';
import type { DescribedSeat } from '../fleet-roll.ts';

/** The fleet of an agent in an answer, and how far it is there. */
export function toAgentFleet(seat: DescribedSeat | undefined, lastSeenAt: number): Agent['fleet'] {
  if (seat === undefined) return null;
  const { fleetID: id, name, versionID, versionNumber, isOther } = seat;
  const state = seat.stateAt(lastSeenAt);
  return { id, name, versionID, versionNumber, state, isDrifted: state === 'applied' && isOther };
}
