import { Skeleton, Text, TextInput } from '@mantine/core';
import { deleteProject, type Project } from '@muster/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useHoldLive } from '../../live/live-project.tsx';
import { formatNumber } from '../../parts/amount.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { explainError } from '../../parts/explain-error.ts';
import { Facts } from '../../parts/facts.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { projectKey } from '../../service/query-client.ts';
import { meQuery, projectsQuery } from '../../session/session-queries.ts';
import { settingsTexts } from '../../texts/settings.ts';
import { type HeldCount, holdingsQuery } from './project-queries.ts';

interface DeleteProjectDialogProps {
  readonly project: Project;
  readonly onClose: () => void;
}

/** Shows what ends with the project, and asks for its name. */
export function DeleteProjectDialog({ project, onClose }: DeleteProjectDialogProps) {
  const { id, name } = project;
  const [typed, setTyped] = useState('');
  const { data: held, error } = useQuery(holdingsQuery(id));
  const queries = useQueryClient();
  const router = useRouter();
  const holdLive = useHoldLive();
  const confirm = async () => {
    const goOn = holdLive();
    await queries.cancelQueries({ queryKey: projectKey(id) });
    try {
      await deleteProject(client, { projectID: id });
    } catch (failure) {
      goOn();
      void queries.refetchQueries({ queryKey: projectKey(id), type: 'active' });
      throw failure;
    }
    // The screens below the project would read it again.
    queries.removeQueries({ queryKey: projectsQuery.queryKey });
    await router.navigate({ to: '/', replace: true });
    queries.removeQueries({ queryKey: projectKey(id) });
    await queries.invalidateQueries({ queryKey: meQuery.queryKey });
    showDone(settingsTexts.deleted(name));
  };
  return (
    <ConfirmDialog
      isOpen
      title={settingsTexts.deleteProject}
      confirm={settingsTexts.deleteProjectButton}
      isDangerous
      // Not every name can be typed.
      isDisabled={typed !== name && typed !== id}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Text size="sm" mb="sm">
        {settingsTexts.deleteHolds}
      </Text>
      {held === undefined && error === null && <Skeleton height={130} />}
      {error !== null && <Text size="sm">{explainError(error).text}</Text>}
      {held !== undefined && (
        <Facts
          facts={[
            { name: settingsTexts.agents, value: formatNumber(held.agentsCount) },
            { name: settingsTexts.openErrors, value: formatNumber(held.errorsCount) },
            { name: settingsTexts.tokens, value: formatHeld(held.tokens) },
            { name: settingsTexts.members, value: formatHeld(held.members) },
          ]}
        />
      )}
      <Text size="sm" mt="md">
        {settingsTexts.typeName} <NameText text={name} /> {settingsTexts.orTypeID} <code>{id}</code>
      </Text>
      <TextInput
        mt={4}
        aria-label={settingsTexts.typeNameLabel}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        autoComplete="off"
        dir="auto"
      />
    </ConfirmDialog>
  );
}

function formatHeld({ count, isMore }: HeldCount): string {
  return isMore ? settingsTexts.atLeast(formatNumber(count)) : formatNumber(count);
}
