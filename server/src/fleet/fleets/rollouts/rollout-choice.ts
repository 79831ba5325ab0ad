import type { AskingAgent, Publication, VersionChoice } from '../version-choice.ts';

/** What agents of a fleet get while a rollout is under way, or after it was stopped or reverted. */
export interface ServedRollout {
  readonly to: Publication;
  /** The version before, published again for the agents that have the new one. */
  readonly back: Publication | undefined;
  /** Agents of this stage and of those before may get the version; -1: nobody further. */
  readonly openStage: number;
  readonly lastStage: number;
  /** The last stage for agents that are not in it. */
  readonly stageOf: ReadonlyMap<string, number>;
}

/** Gives the version of a rollout to the agents of its open stages, and to nobody else. */
export class RolloutChoice implements VersionChoice {
  readonly #rollout: ServedRollout;

  constructor(rollout: ServedRollout) {
    this.#rollout = rollout;
  }

  choose({ agentID, isAnonymous, has, current }: AskingAgent): Publication {
    const { to, back, openStage, lastStage, stageOf } = this.#rollout;
    // Something newer was published for everybody.
    if (current.seconds >= to.seconds) return current;
    // Whoever is ahead goes back under a later date, since an agent takes no earlier one. Nobody else has to load anything.
    if (back !== undefined) {
      const isAhead =
        has !== undefined && has.seconds > current.seconds && has.versionID !== current.versionID;
      return isAhead || has?.seconds === back.seconds ? back : current;
    }
    if (has !== undefined && has.seconds >= to.seconds) return to;
    if (isAnonymous) return openStage >= lastStage ? to : current;
    if (agentID === undefined) return current;
    return (stageOf.get(agentID) ?? lastStage) <= openStage ? to : current;
  }
}
