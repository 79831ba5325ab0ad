import { List, Skeleton, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { explainError } from '../../parts/explain-error.ts';
import { HostileText } from '../../parts/hostile-text.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { projectKey } from '../../service/query-client.ts';
import { agentsTexts } from '../../texts/agents.ts';
import {
  type Deletion,
  type DeletionPreview,
  previewDeletion,
  previewedNames,
  runDeletion,
} from './deletion.ts';

interface DeleteAgentsDialogProps {
  readonly projectID: string;
  /** Undefined: the dialog is closed. */
  readonly deletion: Deletion | undefined;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** More than these are deleted only by somebody who has read how many they are. */
const maxWithoutCount = 10;

/** Says how many agents are to be deleted, and names the first ones, before it happens. */
export function DeleteAgentsDialog({ projectID, deletion, onDone, onClose }: DeleteAgentsDialogProps) {
  const preview = useQuery({
    queryKey: [...projectKey(projectID), 'agents-deletion', deletion],
    queryFn: () => (deletion === undefined ? undefined : previewDeletion(projectID, deletion)),
    enabled: deletion !== undefined,
    staleTime: 0,
    gcTime: 0,
  });
  const [typed, setTyped] = useState('');
  const count = preview.isFetching ? undefined : preview.data?.count;
  const isCounted = (count ?? 0) > maxWithoutCount;
  const close = () => {
    setTyped('');
    onClose();
  };
  return (
    <ConfirmDialog
      isOpen={deletion !== undefined}
      title={agentsTexts.deleteTitle(count)}
      confirm={agentsTexts.deleteConfirm}
      isDangerous
      isDisabled={count === undefined || count === 0 || (isCounted && typed.trim() !== String(count))}
      onConfirm={async () => {
        if (deletion === undefined || count === undefined) return;
        try {
          showDone(agentsTexts.deleted(await runDeletion(projectID, deletion, count)));
          onDone();
        } catch (error) {
          // The title then says how many match now, or are left.
          void preview.refetch();
          throw error;
        }
      }}
      onClose={close}
    >
      <Text size="sm">{agentsTexts.deleteText}</Text>
      {deletion?.kind === 'matching' && (
        <Text size="sm" mt="xs">
          {agentsTexts.deleteTextMatching}
        </Text>
      )}
      {preview.error === null ? (
        <Names preview={preview.isFetching ? undefined : preview.data} />
      ) : (
        <Text c="var(--muster-bad)" size="sm" role="alert" mt="sm">
          {explainError(preview.error).text}
        </Text>
      )}
      {isCounted && count !== undefined && (
        <TextInput
          mt="sm"
          label={agentsTexts.typeCount(count)}
          value={typed}
          inputMode="numeric"
          autoComplete="off"
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          data-autofocus
        />
      )}
    </ConfirmDialog>
  );
}

function Names({ preview }: { readonly preview: DeletionPreview | undefined }) {
  if (preview === undefined) return <Skeleton height={24 * previewedNames} mt="sm" />;
  if (preview.count === 0) return <Text mt="sm">{agentsTexts.noneLeft}</Text>;
  const more = preview.count - preview.names.length;
  return (
    <List size="sm" mt="sm">
      {preview.names.map((name, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names are not unique, and are never moved
        <List.Item key={place}>
          <HostileText text={name} maxLength={80} />
        </List.Item>
      ))}
      {more > 0 && <List.Item>{agentsTexts.andMore(more)}</List.Item>}
    </List>
  );
}
