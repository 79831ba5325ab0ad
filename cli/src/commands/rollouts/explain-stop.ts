import type { Client, Rollout } from '@muster/client';
import {
  type BadLine,
  badLineOf,
  countOf,
  firstToReport,
  numberOf,
  parseDiff,
  pastPredicateOf,
} from '@muster/contract';
import { unlessRefused } from '../../connection/unless-refused.ts';

/**
 * What was wrong with the version of a rollout that a cause has stopped, and on which line if that is known, as the end of a sentence. Undefined: no
 * cause has stopped it, or the cause cannot be read.
 */
export async function explainStop(
  client: Client,
  { projectID, verdict, evidence, from, to }: Rollout,
): Promise<string | undefined> {
  if (verdict?.rule !== 'new_cause' || verdict.groupID === undefined) return undefined;
  const { groupID } = verdict;
  const { getAgentErrorGroup, getFleetVersionDiff, listProjectErrors } = await import('@muster/client');
  const reporter = firstToReport(evidence);
  const [cause, reported, difference] = await Promise.all([
    unlessRefused(getAgentErrorGroup(client, { agentErrorGroupID: groupID })),
    reporter === undefined
      ? undefined
      : unlessRefused(
          listProjectErrors(client, {
            projectID,
            group_id: groupID,
            agent_id: reporter.agentID,
            since: reporter.appliedAt,
            last: 1,
          }).first(),
        ),
    unlessRefused(getFleetVersionDiff(client, { fleetVersionID: to.id, against: from.id })),
  ]);
  if (cause === undefined) return undefined;
  const error = reported?.items[0]?.error ?? cause.example;
  const line = difference && badLineOf(parseDiff(difference.diff), error);
  const { agents = 0, of = 0 } = verdict;
  return `${line === undefined ? '' : `${describeLine(line)}, and `}${describeAgents(agents, of)} ${pastPredicateOf(cause, agents)}`;
}

function describeAgents(count: number, of: number): string {
  if (of === 1) return 'the one updated agent';
  const all = countOf(of, 'updated agent');
  return count === of ? `all ${all}` : `${numberOf(count)} of the ${all}`;
}

function describeLine({ number, kind, value }: BadLine): string {
  return `line ${number} ${kind === 'port' ? 'sends to port' : 'names'} ${value}`;
}
