/** A time without a break in which the service listened to agents, in milliseconds since 1970. */
export interface ListeningPeriod {
  readonly startedAt: number;
  readonly endedAt: number;
}

/**
 * Since when the service has listened for so long in all, breaks not counted; undefined if it has not listened for so long yet.
 *
 * @param periods the latest first
 */
export function listenedSince(periods: readonly ListeningPeriod[], milliseconds: number): number | undefined {
  let rest = milliseconds;
  for (const { startedAt, endedAt } of periods) {
    if (endedAt - startedAt >= rest) return endedAt - rest;
    rest -= endedAt - startedAt;
  }
  return undefined;
}
