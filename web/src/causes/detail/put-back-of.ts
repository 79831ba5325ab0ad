import type { Fleet, FleetVersion, Rollout } from '@muster/client';
import type { Change } from '@muster/contract';
import { isOpen } from '../../rollouts/rollout-progress.ts';

/** How the version before can be given to the agents again. */
export type PutBack =
  | { readonly kind: 'revert'; readonly number: number; readonly rollout: RolloutOfCause }
  | {
      readonly kind: 'deploy';
      readonly fleetID: string;
      readonly versionID: string;
      readonly number: number;
    };

/** A rollout, as far as it matters here. */
export type RolloutOfCause = Pick<
  Rollout,
  'id' | 'fleetID' | 'fleetDeletedAt' | 'state' | 'from' | 'to' | 'startedAt' | 'endedAt' | 'agentsCount'
>;

interface PutBackParts {
  /** The rollouts that the cause has stopped, the newest first. */
  readonly stopped: readonly RolloutOfCause[];
  readonly change: Pick<Change, 'configuredAt'> | undefined;
  /** What the first agent with the cause runs. Undefined: it is no version of the fleet in which all of them are. */
  readonly versionID: string | undefined;
  readonly fleet: Pick<Fleet, 'id' | 'currentVersion'> | undefined;
  /** Of that fleet. */
  readonly newest: RolloutOfCause | undefined;
  /** Of that fleet. */
  readonly versions: readonly Pick<FleetVersion, 'id' | 'isBad'>[];
}

/** An agent that gets what its fleet has served for longer has only just joined it. */
const maxMilliseconds = 24 * 3_600_000;

/** Undefined: no version brought the cause, as far as is known, or the one before is back. */
export function putBackOf({
  stopped,
  change,
  versionID,
  fleet,
  newest,
  versions,
}: PutBackParts): PutBack | undefined {
  if (stopped.length > 0) {
    const kept = stopped.find(({ state, fleetDeletedAt }) => state === 'stopped' && fleetDeletedAt === null);
    return kept && { kind: 'revert', number: kept.from.number, rollout: kept };
  }
  if (change === undefined || versionID === undefined || fleet === undefined) return undefined;
  const { currentVersion: current } = fleet;
  if (current === null) return undefined;
  const since = Date.parse(change.configuredAt);
  const rollout = newest?.to.id === versionID && Date.parse(newest.startedAt) <= since ? newest : undefined;
  if (rollout !== undefined && (isOpen(rollout) || rollout.state === 'stopped'))
    return { kind: 'revert', number: rollout.from.number, rollout };
  const lastGivenAt = Date.parse(rollout?.endedAt ?? current.publishedAt);
  const hasJust = since >= Date.parse(current.publishedAt) && since - lastGivenAt <= maxMilliseconds;
  if (current.id !== versionID || !hasJust) return undefined;
  const before = rollout?.from ?? servedBefore(current, newest);
  return before !== undefined && versions.some(({ id, isBad }) => id === before.id && !isBad)
    ? { kind: 'deploy', fleetID: fleet.id, versionID: before.id, number: before.number }
    : undefined;
}

/**
 * What all agents got before a version was given to them at once. That is known only if this is the version after the newest one of a rollout, since
 * nobody may have got those in between.
 */
function servedBefore({ number }: { readonly number: number }, newest: RolloutOfCause | undefined) {
  if (newest === undefined || number !== newest.to.number + 1) return undefined;
  return newest.state === 'completed' ? newest.to : newest.from;
}
