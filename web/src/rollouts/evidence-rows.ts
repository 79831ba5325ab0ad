import type { Rollout } from '@muster/client';
import { rolloutGate } from '@muster/contract';
import { formatNumber } from '../parts/amount.ts';
import { rolloutsTexts } from '../texts/rollouts.ts';
import { isOpen } from './rollout-progress.ts';

type Evidence = NonNullable<Rollout['evidence']>;

export interface EvidenceRow {
  readonly kind: 'causes' | 'failed' | 'worse' | 'watched' | 'sites';
  /** Of a cause. */
  readonly groupID?: string;
  readonly updated: number;
  readonly updatedOf?: number;
  /** Undefined: there is nothing to compare. */
  readonly others?: number;
  readonly othersOf?: number;
  readonly stopsAt: string;
  readonly verdict: 'bad' | 'good' | 'waits';
  readonly says: string;
}

const { fewAgents, allowedShare, aloneUpTo, factor, worsePoints, worseFactor, passShare } = rolloutGate;

/** What a rollout is judged by, what is worst first. */
export function evidenceRows(
  rollout: Pick<Rollout, 'state' | 'stage' | 'stages'>,
  evidence: Evidence,
): EvidenceRow[] {
  const { updatedCount, othersCount, causes, failedCount, worse, watchedCount, stageCount, silentSites } =
    evidence;
  const { says } = rolloutsTexts.evidence;
  const share = (count: number, of: number) => count / Math.max(1, of);
  const reached = rollout.stages
    .slice(0, rollout.stage)
    .reduce((sum, { agentsCount }) => sum + agentsCount, 0);
  const needed = reached <= aloneUpTo ? 1 : 2;
  const causeStops = rolloutsTexts.evidence.causeStops(needed, updatedCount > fewAgents);
  const rows: EvidenceRow[] = causes.map(
    ({ groupID, updatedCount: updated, othersCount: others, comesWithVersion }) => {
      const isMoreFrequent = share(updated, updatedCount) >= factor * share(others, othersCount);
      return {
        kind: 'causes',
        groupID,
        updated,
        updatedOf: updatedCount,
        others,
        othersOf: othersCount,
        stopsAt: causeStops,
        verdict: comesWithVersion ? 'bad' : 'good',
        says: comesWithVersion ? says.came : isMoreFrequent ? says.few : says.equal,
      };
    },
  );
  if (rows.length === 0)
    rows.push({
      kind: 'causes',
      updated: 0,
      stopsAt: causeStops,
      verdict: 'good',
      says: says.nothing,
    });
  const allowed = updatedCount <= fewAgents ? 0 : Math.floor(updatedCount * allowedShare);
  rows.push({
    kind: 'failed',
    updated: failedCount,
    stopsAt: formatNumber(allowed + 1),
    verdict: failedCount > allowed ? 'bad' : 'good',
    says: failedCount === 0 ? says.none : failedCount > allowed ? says.tooMany : says.few,
  });
  const [updatedShare, othersShare] = [
    share(worse.updatedCount, updatedCount),
    share(worse.othersCount, othersCount),
  ];
  const points = updatedShare - othersShare;
  const isFarWorse = points > worsePoints && updatedShare >= worseFactor * othersShare;
  const isWorse = worse.updatedCount >= 2 && isFarWorse;
  rows.push({
    kind: 'worse',
    updated: worse.updatedCount,
    updatedOf: updatedCount,
    others: worse.othersCount,
    othersOf: othersCount,
    stopsAt: rolloutsTexts.evidence.points(worsePoints * 100),
    verdict: isWorse ? 'bad' : 'good',
    says: isWorse
      ? rolloutsTexts.evidence.points(Math.round(points * 100))
      : isFarWorse
        ? says.few
        : says.equal,
  });
  if (!isOpen(rollout)) return rows;
  const toWatch = Math.ceil(stageCount * passShare);
  rows.push({
    kind: 'watched',
    updated: watchedCount,
    updatedOf: stageCount,
    stopsAt: rolloutsTexts.evidence.needs(toWatch),
    verdict: watchedCount >= toWatch ? 'good' : 'waits',
    says: watchedCount >= toWatch ? says.complete : rolloutsTexts.evidence.needsMore(toWatch - watchedCount),
  });
  if (silentSites.length > 0)
    rows.push({
      kind: 'sites',
      updated: silentSites.length,
      stopsAt: rolloutsTexts.evidence.needsAll,
      verdict: 'waits',
      says: silentSites.join(', '),
    });
  return rows;
}
