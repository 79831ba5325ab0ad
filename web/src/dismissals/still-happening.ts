import type { AgentErrorGroup, DismissalFilter } from '@muster/client';

const recentMilliseconds = 60_000;

/** The causes that would be back at once. Muted ones stay away, and nobody reports errors of an earlier configuration. */
export function stillHappening<Cause extends Pick<AgentErrorGroup, 'lastSeenAt' | 'mutedUntil'>>(
  { current }: DismissalFilter,
  causes: readonly Cause[],
  now: number,
): readonly Cause[] {
  if (current === false) return [];
  return causes.filter(
    ({ lastSeenAt, mutedUntil }) => mutedUntil === null && now - Date.parse(lastSeenAt) < recentMilliseconds,
  );
}
