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
  /** True: nothing of it was stored before this transaction. */
  readonly isNew: boolean;
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
  noted(seat: FleetSeat, agentID: string): void;
  /** Called when the name or the tags of an agent were changed. */
  noteDescription(projectID: string, agentID: string): Promise<void>;
  /**
   * Called when a person says that an agent is in a fleet.
   *
   * @throws Refusal invalid_body if it gets its configuration from another one
   */
  requireStay(projectID: string, agentID: string, fleetID: string): Promise<void>;
  /** Inside a transaction that deletes agents, before it locks them: no rollout of their fleets goes on until it ends. */
  lockFleets(trx: Kysely<Tables>, projectID: string, agentIDs: readonly string[]): Promise<void>;
  /** Inside the same transaction: from now on, the deleted agents are in no fleet. */
  removeAgents(trx: Kysely<Tables>, projectID: string, agentIDs: readonly string[]): Promise<void>;
  /** The agent that asks with this id for its configuration; undefined if it is no such id. An `agentID` of undefined: it has not registered yet. */
  findAgent(projectID: string, id: string): Promise<{ readonly agentID: string | undefined } | undefined>;
  /** What is known of the agents of a project that are in fleets, by their ids. */
  describe(projectID: string, agentIDs: readonly string[]): Promise<ReadonlyMap<string, DescribedSeat>>;
}

/** A poll that a site has answered. Dates are those of publications. */
export interface PollOfSite {
  readonly at: number;
  /** How much later the dates that the agent gets there are than those of publications. */
  readonly shift: number;
  readonly offered: number;
  /** When the agent last asked without having that. Undefined: the site does not know. */
  readonly offeredAt?: number | undefined;
  readonly downloaded: number | null;
  /** True: the agent has registered or updated itself since it was offered the version, whatever the times say. */
  readonly isConfirmed: boolean;
}

/** What sites say of the agents that ask there for the configuration of their fleet. */
export interface PollsOfSites {
  /**
   * Returns the id of the agent; undefined if it has not registered yet.
   *
   * @throws Refusal not_found for an id that is of no fleet of the project
   */
  notePollOfSite(projectID: string, handle: string, poll: PollOfSite): Promise<string | undefined>;
  /** Resolves when everything that polls have shown is stored. */
  flush(): Promise<void>;
}
