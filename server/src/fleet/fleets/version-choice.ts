import type { RolledOut } from '@muster/http/fleets/choose-publication';

/** A version of a fleet under the date by which agents know it. The same content keeps its date; publishing it again gives it a later one. */
export interface Publication {
  readonly fleetID: string;
  readonly versionID: string;
  /** `Last-Modified` in seconds since 1970-01-01 UTC: grows with every publication of the project. */
  readonly seconds: number;
  /** When it was published, in milliseconds. */
  readonly publishedAt: number;
}

/** An agent that asks for its configuration. */
export interface AskingAgent {
  readonly projectID: string;
  /** The fleet whose configuration it is to get: the one that it was moved to, if it was. */
  readonly fleetID: string;
  /** Undefined: it has not registered yet, or all agents of the fleet ask with the same id (`fleet_id`). */
  readonly agentID: string | undefined;
  /** True if all agents of the fleet ask with the same id, so that nobody knows which one this is. */
  readonly isAnonymous: boolean;
  /** An agent that got a new configuration asks for its files next: the answer must be the same as for the configuration. */
  readonly asksFor: 'config' | 'files';
  /** What it says it has downloaded last. Undefined: nothing, or nothing that is known here. */
  readonly has: Publication | undefined;
  /** What the fleet serves to everybody. */
  readonly current: Publication;
}

/**
 * Which version an agent gets. Called for each poll, in memory: it must not wait, throw or take long. What it returns must be later than everything that the
 * agent has, or it is not picked up: publish an older version again, with a new date, to go back to it.
 */
export interface VersionChoice {
  choose(asking: AskingAgent): Publication;
  /** What only a given number of agents get that nobody can tell from others, instead of what was chosen. In memory. Absent: nothing. */
  findOffer?(asking: AskingAgent): Publication | undefined;
  /** Counts one more that gets the offer. False: enough have got it. */
  give?(): Promise<boolean>;
  /** Undefined: none is under way. Core instances choose by it, for the agents that they are told of. */
  readonly rollout?: RolledOut<Publication> | undefined;
}

/** The current version, for all. */
export const currentVersionForAll: VersionChoice = { choose: ({ current }) => current };
