import type { AgentErrorGroup, Rollout } from '@muster/client';
import { type BadLine, badLineOf, firstToReport, parseDiff } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { causeQuery } from '../causes/cause-queries.ts';
import { versionDiffQuery } from '../fleets/fleet-queries.ts';
import { useMay } from '../session/use-may.ts';
import { reportedErrorQuery } from './rollout-queries.ts';

interface RolloutCause {
  /** Undefined: no cause stopped it, or the user may not read it. */
  readonly cause: AgentErrorGroup | undefined;
  /** What an agent with the version said of it. */
  readonly error: string | undefined;
  readonly line: BadLine | undefined;
}

/** What stopped a rollout, and the line of the configuration that it is about. */
export function useRolloutCause({ projectID, verdict, evidence, from, to }: Rollout): RolloutCause {
  const causeID = verdict?.groupID;
  const mayRead = useMay(projectID)('read:agent_error') && causeID !== undefined;
  const { data: cause } = useQuery({ ...causeQuery(projectID, causeID ?? ''), enabled: mayRead });
  const reporter = firstToReport(evidence);
  const { data: reported, isLoading } = useQuery({
    ...reportedErrorQuery(projectID, causeID ?? '', reporter ?? { agentID: '', appliedAt: '' }),
    enabled: mayRead && reporter !== undefined,
  });
  const { data: diff } = useQuery({
    ...versionDiffQuery(projectID, to.id, from.id),
    enabled: causeID !== undefined,
  });
  const error = isLoading ? undefined : (reported ?? cause?.example);
  const line = useMemo(
    () => (error === undefined || diff === undefined ? undefined : badLineOf(parseDiff(diff.diff), error)),
    [error, diff],
  );
  return { cause, error, line };
}
