import { choosePublication, type RolledOut } from '@muster/http/fleets/choose-publication';
import type { Clock } from '../../../foundation/clock.ts';
import type { AskingAgent, Publication, VersionChoice } from '../version-choice.ts';
import { gapMilliseconds, type Place } from './rollout-store.ts';

/** What agents of a fleet get while a rollout is under way, or after it was stopped or reverted. */
export interface ServedRollout extends RolledOut<Publication> {
  /** Agents of this stage and of those before may get the version; -1: nobody further. */
  readonly openStage: number;
  readonly lastStage: number;
  /** Undefined: all agents of a stage get the version at once. */
  readonly pace: Pace | undefined;
  readonly shared: SharedAgents;
  readonly placeOf: ReadonlyMap<string, Place>;
}

/** Agents that ask with the id of their fleet, so that they can be counted only. */
interface SharedAgents {
  /** How many have got the version. */
  readonly given: number;
  /** How many may have it in the stages before the open one, and in that. */
  readonly before: number;
  readonly inStage: number;
  /** Counts one more, if fewer than `below` have got it. */
  readonly give: (below: number) => Promise<boolean>;
}

interface Pace {
  readonly startsAt: number;
  readonly maxPerMinute: number;
  /** The place of agents of the last stage that have none: behind all others. */
  readonly lastPosition: number;
  /** Agents of the open stage. */
  readonly stageAgents: number;
}

/** Gives the version of a rollout to the agents of its open stages, and to nobody else. */
export class RolloutChoice implements VersionChoice {
  readonly #rollout: ServedRollout;
  readonly #clock: Clock;
  /** Time that passes only while agents ask. */
  #pacedAt: number;
  #askedAt: number;
  /** At least so many of the agents that can be counted only have got the version. */
  #given: number;

  constructor(rollout: ServedRollout, clock: Clock) {
    this.#rollout = rollout;
    this.#clock = clock;
    this.#pacedAt = this.#askedAt = clock();
    this.#given = rollout.shared.given;
  }

  get rollout(): RolledOut<Publication> {
    return this.#rollout;
  }

  choose({ agentID, isAnonymous, has, current }: AskingAgent): Publication {
    const { openStage, lastStage, pace } = this.#rollout;
    return choosePublication(this.#rollout, {
      has,
      current,
      isDue: () => {
        if (!isAnonymous) return agentID !== undefined && this.#isDue(agentID);
        // It may have no place, and is behind all that have one.
        return openStage >= lastStage && (pace === undefined || this.#isTurnOf(pace, pace.lastPosition));
      },
    });
  }

  /** Only one that has what the fleet serves to everybody: others get that first. */
  findOffer({ isAnonymous, asksFor, has, current }: AskingAgent): Publication | undefined {
    const { to, back } = this.#rollout;
    if (!isAnonymous || asksFor !== 'config' || back !== undefined) return undefined;
    if (current.seconds >= to.seconds || has?.seconds !== current.seconds) return undefined;
    return this.#given < this.#dueShared() ? to : undefined;
  }

  async give(): Promise<boolean> {
    const due = this.#dueShared();
    // Counted before, so that no more of this process try it at the same time.
    this.#given += 1;
    if (await this.#rollout.shared.give(due)) return true;
    // Other replicas have given it to so many.
    this.#given = Math.max(this.#given, due);
    return false;
  }

  /** How many of them may have the version by now. */
  #dueShared(): number {
    const { openStage, lastStage, pace, shared } = this.#rollout;
    if (openStage < 0 || (openStage >= lastStage && pace === undefined)) return 0;
    if (pace === undefined) return shared.before + shared.inStage;
    const passed = this.#passed(pace);
    if (passed < 0) return shared.before;
    const share = ((passed / 60_000) * pace.maxPerMinute) / Math.max(pace.stageAgents, 1);
    return shared.before + Math.min(shared.inStage, Math.floor(share * shared.inStage) + 1);
  }

  /** The same on every replica and after a restart, except that time in which this process stood still does not count. */
  #isDue(agentID: string): boolean {
    const { openStage, lastStage, pace, placeOf } = this.#rollout;
    const place = placeOf.get(agentID);
    const stage = place?.stage ?? lastStage;
    if (stage !== openStage || pace === undefined) return stage <= openStage;
    return this.#isTurnOf(pace, place?.position ?? pace.lastPosition);
  }

  #isTurnOf(pace: Pace, position: number): boolean {
    return this.#passed(pace) >= (position / pace.maxPerMinute) * 60_000;
  }

  /** Milliseconds since the pace began. */
  #passed({ startsAt }: Pace): number {
    const now = this.#clock();
    this.#pacedAt += Math.min(now - this.#askedAt, gapMilliseconds);
    this.#askedAt = now;
    return this.#pacedAt - startsAt;
  }
}
