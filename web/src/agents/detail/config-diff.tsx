import { Button, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ErrorState } from '../../parts/error-state.tsx';
import { agentsTexts } from '../../texts/agents.ts';
import { configDiffQuery } from '../agent-queries.ts';
import { DiffLines } from './diff-lines.tsx';
import { parseDiff } from './parse-diff.ts';

interface ConfigDiffProps {
  readonly projectID: string;
  readonly agentID: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Lines that are shown at first. */
const maxLines = 300;

/** What differs between two configurations, line by line. */
export function ConfigDiff({ projectID, agentID, from, to }: ConfigDiffProps) {
  const { data, error, refetch } = useQuery(configDiffQuery(projectID, agentID, { from, to }));
  const lines = useMemo(() => parseDiff(data?.diff ?? ''), [data]);
  const [isWhole, setIsWhole] = useState(false);
  if (error !== null && data === undefined)
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={160} />;
  if (lines.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {agentsTexts.sameText}
      </Text>
    );
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {data.from === null && `${agentsTexts.firstConfig} `}
        {agentsTexts.lines(data.addedLines, data.removedLines)}
        {data.isCoarse && `. ${agentsTexts.isCoarse}`}
      </Text>
      <DiffLines lines={lines.slice(0, isWhole ? undefined : maxLines)} label={agentsTexts.changedLines} />
      {!isWhole && lines.length > maxLines && (
        <Button variant="default" size="compact-sm" mt="xs" onClick={() => setIsWhole(true)}>
          {agentsTexts.showAllLines(lines.length)}
        </Button>
      )}
    </>
  );
}
