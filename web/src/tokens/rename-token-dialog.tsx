import { TextInput } from '@mantine/core';
import { type Token, updateToken } from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { showDone } from '../parts/toasts.tsx';
import { client } from '../service/client.ts';
import { tokensTexts } from '../texts/tokens.ts';
import { tokensKey } from './token-queries.ts';

interface RenameTokenDialogProps {
  readonly projectID: string;
  readonly token: Token;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function RenameTokenDialog({ projectID, token, isOpen, onClose }: RenameTokenDialogProps) {
  const queries = useQueryClient();
  const [name, setName] = useState(token.name);
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={tokensTexts.renameTitle(token.name)}
      confirm={tokensTexts.save}
      isDisabled={name.trim() === ''}
      onConfirm={async () => {
        await updateToken(client, { tokenID: token.id, body: { name: name.trim() } });
        await queries.invalidateQueries({ queryKey: tokensKey(projectID) });
        showDone(tokensTexts.saved);
      }}
      onClose={onClose}
    >
      <TextInput
        label={tokensTexts.name}
        value={name}
        maxLength={128}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        data-autofocus
      />
    </ConfirmDialog>
  );
}
