import { maxJitterMilliseconds } from '../../../foundation/clock.ts';

/** How an agent ended, according to its own report. */
export interface StopOfAgent {
  readonly at: number;
  readonly isFailure: boolean;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** What a core instance passed on for an agent. */
export interface Passage {
  readonly coreInstanceID: string;
  /** When it happened, in milliseconds. */
  readonly at: number;
}

/** When an agent described itself last, and through which core instance. Null: on its own. */
export interface Described {
  readonly described_at: number | null;
  readonly described_through: string | null;
}

/**
 * True if the agent has described itself otherwise since: on another way, because a site passes descriptions on in the order in which it got them,
 * whatever its clock said. A time that is still to come is of a clock that was set back, and proves nothing.
 */
export function isOutdated(
  { at, coreInstanceID }: Passage,
  { described_at, described_through }: Described,
  now: number,
): boolean {
  if (described_at === null || described_through === coreInstanceID) return false;
  return described_at - at > maxJitterMilliseconds && described_at - now <= maxJitterMilliseconds;
}

/** The same for an agent that describes itself now, or did when that was passed on. Its time goes back only if the clock was set back. */
export function describedNow(
  passage: Passage | undefined,
  stored: Described | undefined,
  now: number,
): Described {
  const at = passage?.at ?? now;
  const before = stored?.described_at ?? 0;
  return {
    described_at: before - now > maxJitterMilliseconds ? at : Math.max(at, before),
    described_through: passage?.coreInstanceID ?? null,
  };
}

/** The signs of life of an agent since the last write. Times are milliseconds since 1970. */
export interface SignsOfAgent {
  /** The last request of any kind. 0: none. */
  seenAt: number;
  /** The core instance that passed that request on. Null: the agent sent it itself. Absent: there was none. */
  coreInstanceID?: string | null;
  /** Heartbeats and metrics. */
  firstBeatAt?: number;
  lastBeatAt?: number;
  /** The promised interval. 0: no promise. Absent: the agent did not say. */
  promisedMilliseconds?: number;
  /** The last end. */
  stop?: StopOfAgent;
  /** The number of failures since the last clean end. */
  failures: number;
  failingSince?: number | undefined;
  failedAt?: number | undefined;
  /** When a cause of being unhealthy ended. */
  recoveredAt?: number;
}

export function noSigns(): SignsOfAgent {
  return { seenAt: 0, failures: 0 };
}

/** Records a request of any kind. */
export function addRequest(signs: SignsOfAgent, at: number, coreInstanceID: string | null): void {
  if (at < signs.seenAt) return;
  signs.seenAt = at;
  signs.coreInstanceID = coreInstanceID;
}

export function addBeat(signs: SignsOfAgent, at: number): void {
  signs.firstBeatAt ??= at;
  signs.lastBeatAt = Math.max(signs.lastBeatAt ?? 0, at);
}

export function addStop(signs: SignsOfAgent, stop: StopOfAgent): void {
  signs.stop = stop;
  if (stop.isFailure) {
    // A batch of a site that is tried again tells of the same end.
    if (signs.coreInstanceID && stop.at <= (signs.failedAt ?? 0)) return;
    signs.failures += 1;
    signs.failingSince ??= stop.at;
    signs.failedAt = stop.at;
  } else {
    signs.failures = 0;
    signs.failingSince = undefined;
    signs.failedAt = undefined;
  }
}

/** Adds later signs to signs that could not be written. */
export function mergeSigns(earlier: SignsOfAgent, later: SignsOfAgent): SignsOfAgent {
  const merged: SignsOfAgent = { ...earlier, ...later };
  if (earlier.seenAt > later.seenAt && earlier.coreInstanceID !== undefined) {
    merged.seenAt = earlier.seenAt;
    merged.coreInstanceID = earlier.coreInstanceID;
  }
  if (earlier.firstBeatAt !== undefined) merged.firstBeatAt = earlier.firstBeatAt;
  const isCleanStop = later.stop !== undefined && !later.stop.isFailure && later.failures === 0;
  if (!isCleanStop) {
    const isTold = later.coreInstanceID && (later.failedAt ?? 0) <= (earlier.failedAt ?? 0);
    merged.failures = earlier.failures + (isTold ? 0 : later.failures);
    merged.failingSince = earlier.failingSince ?? later.failingSince;
    merged.failedAt = later.failedAt ?? earlier.failedAt;
  }
  return merged;
}
