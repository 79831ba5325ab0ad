import type { AgentErrorGroup, AgentErrorGroupOrigin } from '@muster/client';
import { type Change, changeOf, isOfFirstConfig } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { configDiffQuery } from '../../agents/agent-queries.ts';
import { useMay } from '../../session/use-may.ts';
import { causeOriginQuery } from '../cause-queries.ts';
import { countsAgree } from './counts-agree.ts';

interface Story {
  readonly origin: AgentErrorGroupOrigin | undefined;
  /** Undefined: it is not known, nothing changed, or the agents that have the cause now run another configuration. */
  readonly change: Change | undefined;
  /** The same, whatever they run now. */
  readonly began: Change | undefined;
  /** True: what is not known yet may still come. */
  readonly isPending: boolean;
}

interface Asked {
  /** False: nothing is asked of the service. */
  readonly enabled?: boolean;
  /** False: it is read once, for what does not change: where the cause began. */
  readonly isCounted?: boolean;
}

/** Where a cause began is not known at once. */
function untilKnown({
  state: { data },
}: {
  readonly state: { readonly data?: AgentErrorGroupOrigin | undefined };
}) {
  return (data?.first ?? null) === null ? 10_000 : Number.POSITIVE_INFINITY;
}

/** How a cause began. */
export function useStory(
  projectID: string,
  cause: AgentErrorGroup,
  { enabled = true, isCounted = true }: Asked = {},
): Story {
  const mayCompare = useMay(projectID)('read:agent');
  const {
    data: origin,
    isPending: awaitsOrigin,
    refetch,
  } = useQuery({
    ...causeOriginQuery(projectID, cause.id),
    ...(isCounted ? {} : { refetchInterval: false, staleTime: untilKnown }),
    enabled,
  });
  const isLate = enabled && isCounted && origin !== undefined && !countsAgree(origin, cause);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read again with each change of the cause until both agree
  useEffect(() => {
    if (isLate) void refetch({ cancelRefetch: false });
  }, [isLate, cause.agentsCount, cause.regressedAt, refetch]);
  const first = origin?.first ?? undefined;
  const hasDiff = mayCompare && first !== undefined;
  const { data: diff, isPending: awaitsDiff } = useQuery({
    ...configDiffQuery(projectID, first?.agentID ?? '', { from: undefined, to: first?.configID }),
    enabled: hasDiff,
  });
  const { firstSeenAt, regressedAt } = cause;
  const began = useMemo(
    () => (origin === undefined ? undefined : changeOf({ firstSeenAt, regressedAt }, origin, diff)),
    [firstSeenAt, regressedAt, origin, diff],
  );
  const isGone = origin !== undefined && origin.affectedCount > 0 && !isOfFirstConfig(cause, origin);
  return {
    origin,
    change: isGone ? undefined : began,
    began,
    isPending: (enabled && awaitsOrigin) || (hasDiff && awaitsDiff),
  };
}
