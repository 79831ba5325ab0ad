import { Text, Title } from '@mantine/core';
import type { ProjectSummary } from '@muster/client';
import { overviewTexts } from '../texts/overview.ts';
import { SinceLastVisit } from './since-last-visit.tsx';

interface CalmHeadProps {
  readonly projectID: string;
  readonly summary: ProjectSummary;
}

/** How the agents are, in a sentence, when nothing new is on many of them. */
export function CalmHead({ projectID, summary }: CalmHeadProps) {
  return (
    <div>
      <Title order={1} tabIndex={-1}>
        {overviewTexts.calm(summary.agentsByStatus, summary.agentsCount)}
      </Title>
      <Text size="sm" c="dimmed" component="div">
        <SinceLastVisit projectID={projectID} />
      </Text>
    </div>
  );
}
