import { Text } from '@mantine/core';
import type { FreezeWindow } from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { freezeQuery } from '../../rollouts/upcoming-queries.ts';
import { freezeTexts } from '../../texts/freeze.ts';
import { changeWindows } from './change-windows.ts';

interface RemoveWindowDialogProps {
  readonly projectID: string;
  readonly window: FreezeWindow;
  readonly onClose: () => void;
}

export function RemoveWindowDialog({ projectID, window: { name }, onClose }: RemoveWindowDialogProps) {
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      isOpen
      title={freezeTexts.removeTitle(name)}
      confirm={freezeTexts.removeConfirm}
      isDangerous
      onConfirm={async () => {
        await changeWindows(projectID, (present) => present.filter((one) => one.name !== name));
        await queries.invalidateQueries({ queryKey: freezeQuery(projectID).queryKey });
        showDone(freezeTexts.removed(name));
      }}
      onClose={onClose}
    >
      <Text size="sm">{freezeTexts.removeText}</Text>
    </ConfirmDialog>
  );
}
