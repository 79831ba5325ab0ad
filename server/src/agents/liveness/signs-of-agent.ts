/** How an agent has ended, by its own words. */
export interface StopOfAgent {
  readonly at: number;
  readonly isFailure: boolean;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** What was heard of an agent since its signs were written last. Times are milliseconds since 1970. */
export interface SignsOfAgent {
  /** By any kind of request. 0: it was not heard. */
  seenAt: number;
  /** Heartbeats and metrics. */
  firstBeatAt?: number;
  lastBeatAt?: number;
  /** How often it promises a sign of life. 0: it promises nothing. Absent: it said nothing. */
  promisedMilliseconds?: number;
  /** The last one. */
  stop?: StopOfAgent;
  /** How many of its ends were failures, since the last clean one. */
  failures: number;
  failingSince?: number | undefined;
  failedAt?: number | undefined;
  /** When something ended that had made it unhealthy. */
  recoveredAt?: number;
}

export function noSigns(): SignsOfAgent {
  return { seenAt: 0, failures: 0 };
}

export function addBeat(signs: SignsOfAgent, at: number): void {
  signs.firstBeatAt ??= at;
  signs.lastBeatAt = Math.max(signs.lastBeatAt ?? 0, at);
}

export function addStop(signs: SignsOfAgent, stop: StopOfAgent): void {
  signs.stop = stop;
  if (stop.isFailure) {
    signs.failures += 1;
    signs.failingSince ??= stop.at;
    signs.failedAt = stop.at;
  } else {
    signs.failures = 0;
    signs.failingSince = undefined;
    signs.failedAt = undefined;
  }
}

/** Adds what was heard later to what could not be written before. */
export function mergeSigns(earlier: SignsOfAgent, later: SignsOfAgent): SignsOfAgent {
  const merged: SignsOfAgent = { ...earlier, ...later, seenAt: Math.max(earlier.seenAt, later.seenAt) };
  if (earlier.firstBeatAt !== undefined) merged.firstBeatAt = earlier.firstBeatAt;
  const isCleanStop = later.stop !== undefined && !later.stop.isFailure && later.failures === 0;
  if (!isCleanStop) {
    merged.failures = earlier.failures + later.failures;
    merged.failingSince = earlier.failingSince ?? later.failingSince;
    merged.failedAt = later.failedAt ?? earlier.failedAt;
  }
  return merged;
}
