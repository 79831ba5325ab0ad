import type { Clock } from '../../../foundation/clock.ts';
import type { AskingAgent, Publication, VersionChoice } from '../version-choice.ts';
import { gapMilliseconds, type Place } from './rollout-store.ts';

/** What agents of a fleet get while a rollout is under way, or after it was stopped or reverted. */
export interface ServedRollout {
  readonly to: Publication;
  /** The version before, published again for the agents that have the new one. */
  readonly back: Publication | undefined;
  /** Agents of this stage and of those before may get the version; -1: nobody further. */
  readonly openStage: number;
  readonly lastStage: number;
  /** Undefined: all agents of a stage get the version at once. */
  readonly pace: Pace | undefined;
  readonly placeOf: ReadonlyMap<string, Place>;
}

interface Pace {
  readonly startsAt: number;
  readonly maxPerMinute: number;
  /** The place of agents of the last stage that have none: behind all others. */
  readonly lastPosition: number;
}

/** Gives the version of a rollout to the agents of its open stages, and to nobody else. */
export class RolloutChoice implements VersionChoice {
  readonly #rollout: ServedRollout;
  readonly #clock: Clock;
  /** Time that passes only while agents ask. */
  #pacedAt: number;
  #askedAt: number;

  constructor(rollout: ServedRollout, clock: Clock) {
    this.#rollout = rollout;
    this.#clock = clock;
    this.#pacedAt = this.#askedAt = clock();
  }

  choose({ agentID, isAnonymous, has, current }: AskingAgent): Publication {
    const { to, back, openStage, lastStage } = this.#rollout;
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
    return this.#isDue(agentID) ? to : current;
  }

  /** The same on every replica and after a restart, but that nobody is made up for who did not get it while this process stood still. */
  #isDue(agentID: string): boolean {
    const { openStage, lastStage, pace, placeOf } = this.#rollout;
    const place = placeOf.get(agentID);
    const stage = place?.stage ?? lastStage;
    if (stage !== openStage || pace === undefined) return stage <= openStage;
    const minutes = (place?.position ?? pace.lastPosition) / pace.maxPerMinute;
    const now = this.#clock();
    this.#pacedAt += Math.min(now - this.#askedAt, gapMilliseconds);
    this.#askedAt = now;
    return this.#pacedAt >= pace.startsAt + minutes * 60_000;
  }
}
