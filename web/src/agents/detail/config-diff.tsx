import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorState } from '../../parts/error-state.tsx';
import { agentsTexts } from '../../texts/agents.ts';
import { configDiffQuery } from '../agent-queries.ts';
import { Difference } from './difference.tsx';

interface ConfigDiffProps {
  readonly projectID: string;
  readonly agentID: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** What differs between two configurations of an agent. */
export function ConfigDiff({ projectID, agentID, from, to }: ConfigDiffProps) {
  const { data, error, refetch } = useQuery(configDiffQuery(projectID, agentID, { from, to }));
  if (error !== null && data === undefined)
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={160} />;
  return <Difference difference={data} same={agentsTexts.sameText} first={agentsTexts.firstConfig} />;
}
