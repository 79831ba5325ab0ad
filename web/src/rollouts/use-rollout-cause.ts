import type { AgentErrorGroup, Rollout } from '@muster/client';
import { type BadLine, badLineOf, parseDiff } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { causeQuery } from '../causes/cause-queries.ts';
import { versionDiffQuery } from '../fleets/fleet-queries.ts';
import { useMay } from '../session/use-may.ts';

interface RolloutCause {
  /** Undefined: no cause stopped it, or the user may not read it. */
  readonly cause: AgentErrorGroup | undefined;
  readonly line: BadLine | undefined;
}

/** What stopped a rollout, and the line of the configuration that it is about. */
export function useRolloutCause({ projectID, verdict, from, to }: Rollout): RolloutCause {
  const causeID = verdict?.groupID;
  const { data: cause } = useQuery({
    ...causeQuery(projectID, causeID ?? ''),
    enabled: useMay(projectID)('read:agent_error') && causeID !== undefined,
  });
  const { data: diff } = useQuery({
    ...versionDiffQuery(projectID, to.id, from.id),
    enabled: causeID !== undefined,
  });
  const line = useMemo(
    () =>
      cause === undefined || diff === undefined ? undefined : badLineOf(parseDiff(diff.diff), cause.example),
    [cause, diff],
  );
  return { cause, line };
}
