import { Text, TextInput } from '@mantine/core';
import type { DismissalFilter } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { explainError } from '../parts/explain-error.ts';
import { causesTexts } from '../texts/causes.ts';
import { dismissalPreviewQuery } from './dismissal-queries.ts';
import { useDismissing } from './use-dismissing.ts';

interface DismissDialogProps {
  readonly projectID: string;
  /** What would be dismissed. Undefined: the dialog is closed. */
  readonly filter: DismissalFilter | undefined;
  readonly onClose: () => void;
  /** Called when errors were dismissed, and when that was undone. */
  readonly onDone: () => void;
}

const maxReasonLength = 100;

/** Counts what would be dismissed, and asks why. */
export function DismissDialog({ projectID, filter, onClose, onDone }: DismissDialogProps) {
  const [reason, setReason] = useState('');
  const { dismiss } = useDismissing(projectID);
  const preview = useQuery({
    ...dismissalPreviewQuery(projectID, filter ?? {}),
    enabled: filter !== undefined,
  });
  const close = () => {
    setReason('');
    onClose();
  };
  return (
    <ConfirmDialog
      isOpen={filter !== undefined}
      title={causesTexts.dismissTitle}
      confirm={causesTexts.dismiss}
      isDisabled={reason.trim() === '' || preview.data?.errorsCount === 0}
      onConfirm={async () => {
        if (filter !== undefined) await dismiss(filter, reason.trim(), onDone);
      }}
      onClose={close}
    >
      {filter?.q !== undefined && <Text size="sm">{causesTexts.matching(filter.q)}</Text>}
      <Text mb="md" role="status" mih="1.5rem">
        {preview.data !== undefined
          ? causesTexts.preview(preview.data.errorsCount, preview.data.agentsCount)
          : preview.error !== null
            ? explainError(preview.error).text
            : causesTexts.counting}
      </Text>
      <TextInput
        label={causesTexts.reason}
        description={causesTexts.reasonHint}
        placeholder={causesTexts.reasonExample}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        maxLength={maxReasonLength}
        required
        data-autofocus
      />
    </ConfirmDialog>
  );
}
