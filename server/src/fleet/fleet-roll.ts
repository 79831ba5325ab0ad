import type { AgentFleetState } from '@muster/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '../foundation/database/tables.ts';

/** The place of an agent in a fleet. */
export interface FleetSeat {
  /** The id of the fleet, or what the agent has sent if there is no such fleet in its project. */
  readonly fleetID: string;
  /** The id with which it alone asks for the configuration of the fleet. Null: all agents of the fleet ask with the same one. */
  readonly handle: string | null;
  /** False: there is no such fleet here. */
  readonly isKnown: boolean;
}

/** What an agent sent, with the id of the fleet that it means. */
export function seated<Input extends { readonly fleetID?: string | null }>(
  input: Input,
  seat: FleetSeat | undefined,
): Input {
  return seat === undefined ? input : { ...input, fleetID: seat.fleetID };
}

/** An agent that has registered or was updated, with the configuration that it runs now. */
export interface SeatedAgent {
  readonly id: string;
  readonly projectID: string;
  /** Undefined: it did not send it. */
  readonly rawConfig: string | undefined;
  /** True if it differs from the one before. */
  readonly isNewConfig: boolean;
  readonly now: number;
}

/** How far an agent is with the version of its fleet. */
export interface DescribedSeat {
  readonly name: string;
  readonly fleetID: string;
  readonly versionID: string | null;
  readonly versionNumber: number | null;
  readonly isOther: boolean;
  /** @param lastSeenAt when the agent was last heard */
  readonly stateAt: (lastSeenAt: number) => AgentFleetState;
}

/** What fleets must know of the agents that say that they are in them. */
export interface FleetRoll {
  /** What an agent means with the id of a fleet that it sends. Refuses nothing, because a refused agent may stay silent until it is restarted. */
  read(projectID: string, sent: string): Promise<FleetSeat>;
  /** Inside the transaction that stores the agent. */
  note(trx: Kysely<Tables>, agent: SeatedAgent, seat: FleetSeat): Promise<void>;
  /** Called when that was committed. */
  noted(seat: FleetSeat): void;
  /**
   * Called when a person says that an agent is in a fleet.
   *
   * @throws Refusal invalid_body if it gets its configuration from another one
   */
  requireStay(projectID: string, agentID: string, fleetID: string): Promise<void>;
  /**
   * The agent that asks with this id for its configuration; undefined if it is no such id.
   *
   * @throws Refusal overloaded if that agent has not registered yet: it does within seconds
   */
  findAgent(projectID: string, id: string): Promise<string | undefined>;
  /** What is known of the agents of a project that are in fleets, by their ids. */
  describe(projectID: string, agentIDs: readonly string[]): Promise<ReadonlyMap<string, DescribedSeat>>;
}
