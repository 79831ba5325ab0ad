import type { RolloutEvidence } from '@muster/contract';
import { toTimestamp } from '../../../foundation/clock.ts';
import { comesWithVersion, lostWithVersion, shownComparison } from './judge-stage.ts';
import type { UpdatedAgent } from './new-cause-store.ts';
import type { StageEvidence } from './stage-evidence.ts';

const maxCauses = 10;

/** What a rollout is judged by, as it is shown and kept. */
export function describeEvidence(evidence: StageEvidence, agents: readonly UpdatedAgent[]): RolloutEvidence {
  const { now, running, causes, hardFailures, worse, stage } = evidence;
  const shown = shownComparison(evidence);
  const [updatedCount, othersCount] = shown.sides(running);
  const [worseUpdated, worseOthers] = shown.sides(worse);
  return {
    at: toTimestamp(now),
    updatedCount,
    othersCount,
    causes: causes
      .map((cause) => {
        const [updated, others] = shown.sidesOfCause(cause);
        return {
          groupID: cause.groupID,
          updatedCount: updated,
          othersCount: others,
          comesWithVersion: comesWithVersion(cause, evidence),
          firstAt: toTimestamp(shown.firstTimes(cause.firstAt)[0] ?? now),
        };
      })
      .filter((cause) => cause.updatedCount > 0)
      .sort((one, other) => other.updatedCount - one.updatedCount)
      .slice(0, maxCauses),
    failedCount: hardFailures.length + lostWithVersion(evidence),
    worse: { updatedCount: worseUpdated, othersCount: worseOthers },
    watchedCount: stage.observed,
    stageCount: stage.agents,
    silentSites: [...stage.silentSites],
    agents: agents.map(({ agentID, name, appliedAt, reportedAt }) => ({
      agentID,
      name,
      appliedAt: toTimestamp(appliedAt),
      reportedAt: reportedAt === null ? null : toTimestamp(reportedAt),
    })),
  };
}

export function readEvidenceKept(stored: string | null): RolloutEvidence | null {
  return stored === null ? null : (JSON.parse(stored) as RolloutEvidence); // written by the service alone
}
