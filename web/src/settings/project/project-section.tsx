import { Button, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ProjectWithUsage } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatNumber } from '../../parts/amount.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Facts } from '../../parts/facts.tsx';
import { formatBytes } from '../../parts/format-bytes.ts';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { projectQuery } from '../../session/session-queries.ts';
import { useMay } from '../../session/use-may.ts';
import { settingsTexts } from '../../texts/settings.ts';
import { FreezeSection } from '../freeze/freeze-section.tsx';
import { DeleteProjectDialog } from './delete-project-dialog.tsx';
import { RenameProject } from './rename-project.tsx';

/** The name of a project, what it holds, and its end. */
export function ProjectSection({ projectID }: { readonly projectID: string }) {
  const may = useMay(projectID);
  const { data: project, error, refetch } = useQuery(projectQuery(projectID));
  const [isDeleting, setIsDeleting] = useState(false);
  if (error !== null && project === undefined)
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (project === undefined) return <Skeleton height={220} maw="40rem" />;
  return (
    <Stack gap="xl" maw="40rem">
      <RenameProject key={project.name} project={project} mayRename={may('update:project')} />
      <Facts facts={factsOf(project)} />
      {may('read:fleet') && <FreezeSection projectID={projectID} />}
      {may('delete:project') && (
        <Paper withBorder p="md" radius="md">
          <Title order={2}>{settingsTexts.deleteProject}</Title>
          <Text size="sm" mt={4} mb="sm">
            {settingsTexts.deleteProjectText}
          </Text>
          <Button color="red.9" onClick={() => setIsDeleting(true)}>
            {`${settingsTexts.deleteProjectButton}…`}
          </Button>
        </Paper>
      )}
      {isDeleting && <DeleteProjectDialog project={project} onClose={() => setIsDeleting(false)} />}
    </Stack>
  );
}

function factsOf({ id, createdAt, updatedAt, usage }: ProjectWithUsage) {
  const { agents, maxAgents, storedBytes, maxStoredBytes } = usage;
  const { of } = settingsTexts;
  return [
    {
      name: settingsTexts.id,
      value: (
        <Group gap="xs">
          <code>{id}</code>
          <CopyButton text={id} />
        </Group>
      ),
    },
    { name: settingsTexts.created, value: <RelativeTime at={createdAt} /> },
    { name: settingsTexts.changed, value: <RelativeTime at={updatedAt} /> },
    {
      name: settingsTexts.agents,
      value: maxAgents === null ? formatNumber(agents) : of(formatNumber(agents), formatNumber(maxAgents)),
    },
    ...(storedBytes === null
      ? []
      : [
          {
            name: settingsTexts.stored,
            value:
              maxStoredBytes === null
                ? formatBytes(storedBytes)
                : of(formatBytes(storedBytes), formatBytes(maxStoredBytes)),
          },
        ]),
  ];
}
