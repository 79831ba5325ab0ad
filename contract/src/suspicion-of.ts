import type { Rollout } from './schemas/rollout.ts';

/** What seems to have come with a version, which is settled within a minute. */
interface Suspicion {
  /** Undefined: no cause alone, but more agents with anything new. */
  readonly causeID: string | undefined;
  readonly updated: number;
  readonly updatedOf: number;
  readonly others: number;
  readonly othersOf: number;
}

/** Undefined: nothing, or that is not known. */
export function suspicionOf({
  isHeld,
  evidence,
}: Pick<Rollout, 'isHeld' | 'evidence'>): Suspicion | undefined {
  if (evidence === null) return undefined;
  const { causes, worse, updatedCount, othersCount } = evidence;
  const cause = causes.find(({ comesWithVersion }) => comesWithVersion);
  if (cause === undefined && (!isHeld || worse.updatedCount === 0)) return undefined;
  const { updatedCount: updated, othersCount: others } = cause ?? worse;
  return {
    causeID: cause?.groupID,
    updated,
    // An agent that has the cause may no longer be heard.
    updatedOf: Math.max(updated, updatedCount),
    others,
    othersOf: Math.max(others, othersCount),
  };
}
