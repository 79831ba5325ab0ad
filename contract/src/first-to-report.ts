import type { RolloutEvidence } from './schemas/rollout.ts';

/**
 * The first agent with the version of a rollout that reported something new. What it says is about that version, while the example of a cause is of whoever
 * reported the cause first. Undefined: nobody did.
 */
export function firstToReport(
  evidence: RolloutEvidence | null,
): RolloutEvidence['agents'][number] | undefined {
  return evidence?.agents
    .filter(({ reportedAt }) => reportedAt !== null)
    .sort((one, other) => Date.parse(one.reportedAt ?? '') - Date.parse(other.reportedAt ?? ''))[0];
}
