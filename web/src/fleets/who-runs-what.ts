import type { FleetVersionCounts } from '@muster/client';

type VersionCount = FleetVersionCounts['counts'][number];

/** `served`: what the fleet serves. `other`: another version. `drifted`: something that the fleet did not serve. `unknown`: nobody knows. */
type RunKind = 'drifted' | 'served' | 'other' | 'unknown';

/** Agents of a fleet that run the same. */
export interface Run {
  readonly kind: RunKind;
  /** Of the version; of drifted agents, of what they last got. Null: not known. */
  readonly number: number | null;
  readonly versionID: string | null;
  readonly agentsCount: number;
  readonly unhealthyCount: number;
}

/** What the agents of a fleet run, all together. */
export interface WhoRunsWhat {
  /** What drifted first, then what is served, then newer versions before older ones, and what nobody knows last. */
  readonly runs: readonly Run[];
  readonly agentsCount: number;
  readonly unhealthyCount: number;
  readonly servedCount: number;
  readonly driftedCount: number;
  /** They have refused the version that the fleet serves, and run another one. */
  readonly rejectedCount: number;
  /** They run another version than the one that is served, and are not known to refuse it. */
  readonly otherCount: number;
  /** Those of them with an earlier version: they have not got it yet. The others have one that a rollout brings, or brought. */
  readonly behindCount: number;
  readonly unknownCount: number;
}

const order: readonly RunKind[] = ['drifted', 'served', 'other', 'unknown'];

/** @param currentVersion what the fleet serves; undefined: nothing */
export function whoRunsWhat(
  counts: readonly Omit<VersionCount, 'fleetID'>[],
  currentVersion: { readonly id: string; readonly number: number } | null | undefined,
): WhoRunsWhat {
  const runs = counts
    .map(
      ({ versionID, number, isDrifted, agentsCount, unhealthyCount }): Run => ({
        kind: kindOf(versionID, isDrifted, currentVersion?.id),
        number,
        versionID,
        agentsCount,
        unhealthyCount,
      }),
    )
    .filter(({ agentsCount }) => agentsCount > 0)
    .sort(
      (one, other) =>
        order.indexOf(one.kind) - order.indexOf(other.kind) || (other.number ?? 0) - (one.number ?? 0),
    );
  const sum = (kind: RunKind) =>
    runs.reduce((total, run) => (run.kind === kind ? total + run.agentsCount : total), 0);
  const rejectedCount = counts.reduce((total, count) => total + count.rejectedCount, 0);
  const served = currentVersion?.number ?? Number.POSITIVE_INFINITY;
  const earlierCount = runs.reduce(
    (total, run) => (run.kind === 'other' && (run.number ?? 0) < served ? total + run.agentsCount : total),
    0,
  );
  return {
    runs,
    agentsCount: counts.reduce((total, { agentsCount }) => total + agentsCount, 0),
    unhealthyCount: counts.reduce((total, { unhealthyCount }) => total + unhealthyCount, 0),
    servedCount: sum('served'),
    driftedCount: sum('drifted'),
    rejectedCount,
    otherCount: Math.max(0, sum('other') - rejectedCount),
    behindCount: Math.max(0, earlierCount - rejectedCount),
    unknownCount: sum('unknown'),
  };
}

function kindOf(versionID: string | null, isDrifted: boolean, current: string | undefined): RunKind {
  if (isDrifted) return 'drifted';
  if (versionID === null) return 'unknown';
  return versionID === current ? 'served' : 'other';
}

/** What a fleet is about now, in a word: the worst that is true of it. */
export type FleetState = 'drifted' | 'rejected' | 'changing' | 'unknown' | 'same' | 'empty' | 'unserved';

export function stateOf(who: WhoRunsWhat, hasVersion: boolean): FleetState {
  if (who.driftedCount > 0) return 'drifted';
  if (who.rejectedCount > 0) return 'rejected';
  if (!hasVersion) return 'unserved';
  if (who.otherCount > 0) return 'changing';
  if (who.agentsCount === 0) return 'empty';
  return who.unknownCount > 0 ? 'unknown' : 'same';
}

const worstFirst: readonly FleetState[] = [
  'drifted',
  'rejected',
  'changing',
  'unknown',
  'same',
  'unserved',
  'empty',
];

export interface FleetLine<Fleet> {
  readonly fleet: Fleet;
  readonly who: WhoRunsWhat;
  readonly state: FleetState;
}

/** Fleets with what their agents run, those first in which something is wrong or goes on, then those with more unhealthy agents. */
export function fleetLines<Fleet extends FleetKey>(
  fleets: readonly Fleet[],
  counts: readonly VersionCount[],
): FleetLine<Fleet>[] {
  const byFleet = new Map<string, VersionCount[]>();
  for (const count of counts) byFleet.set(count.fleetID, [...(byFleet.get(count.fleetID) ?? []), count]);
  return fleets
    .map((fleet) => {
      const who = whoRunsWhat(byFleet.get(fleet.id) ?? [], fleet.currentVersion);
      return { fleet, who, state: stateOf(who, fleet.currentVersion !== null) };
    })
    .sort(
      (one, other) =>
        worstFirst.indexOf(one.state) - worstFirst.indexOf(other.state) ||
        other.who.unhealthyCount - one.who.unhealthyCount ||
        other.who.agentsCount - one.who.agentsCount ||
        one.fleet.name.localeCompare(other.fleet.name, 'en'),
    );
}

interface FleetKey {
  readonly id: string;
  readonly name: string;
  readonly currentVersion: { readonly id: string; readonly number: number } | null;
}
