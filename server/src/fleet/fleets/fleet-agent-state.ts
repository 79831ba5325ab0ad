import { type AgentFleetState, fleetRejectedAfterSeconds } from '@muster/contract';

/** What is stored of an agent and its versions. Times that end in `seconds` are dates of publications. */
export interface FleetAgentFacts {
  readonly offered_seconds: number | null;
  readonly downloaded_seconds: number | null;
  readonly downloaded_at: number | null;
  readonly applied_seconds: number | null;
  /** When the agent was last heard, by any kind of request. */
  readonly last_seen_at: number;
  /** Until when all that its site was sent has arrived. Null: it is behind no site. */
  readonly delivered_until: number | null;
}

/**
 * How far an agent is with the newest version that it was offered. An agent says what it has downloaded, which is not always what it runs: it keeps the
 * configuration before if the new one is bad. It registers, or updates itself, only with a configuration that it runs.
 */
export function stateOf(facts: FleetAgentFacts): AgentFleetState {
  const {
    offered_seconds,
    downloaded_seconds,
    downloaded_at,
    applied_seconds,
    last_seen_at,
    delivered_until,
  } = facts;
  const newest = newestSeconds(facts);
  if (newest === null) return 'unknown';
  if (applied_seconds === newest) return 'applied';
  if (downloaded_seconds !== newest || downloaded_at === null)
    return offered_seconds === null ? 'unknown' : 'offered';
  const heardUntil = Math.min(last_seen_at, delivered_until ?? last_seen_at);
  return heardUntil - downloaded_at >= fleetRejectedAfterSeconds * 1_000 ? 'rejected' : 'downloaded';
}

/** The date of the newest version that the agent was offered or has; null if none is known. */
function newestSeconds({
  offered_seconds,
  downloaded_seconds,
  applied_seconds,
}: Pick<FleetAgentFacts, 'offered_seconds' | 'downloaded_seconds' | 'applied_seconds'>): number | null {
  return offered_seconds ?? downloaded_seconds ?? applied_seconds;
}
