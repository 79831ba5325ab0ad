import { Stack } from '@mantine/core';
import { type Token, updateToken } from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { formatExact } from '../../parts/format-time.ts';
import { useNow } from '../../parts/now.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { useHeldGrants } from '../../session/use-may.ts';
import { tokensTexts } from '../../texts/tokens.ts';
import { tokensKey } from '../token-queries.ts';
import { TokenChanges } from './token-changes.tsx';
import { TokenFields } from './token-fields.tsx';
import { changesOf, inputOf } from './token-input.ts';

interface ChangeTokenDialogProps {
  readonly projectID: string;
  readonly token: Token;
  readonly onClose: () => void;
}

/** Changes everything about a token but its value, and shows before what differs then. */
export function ChangeTokenDialog({ projectID, token, onClose }: ChangeTokenDialogProps) {
  const queries = useQueryClient();
  const held = useHeldGrants(projectID);
  const now = useNow();
  // An expiry counts from the time at which the dialog was opened: what is shown is what is sent.
  const [openedAt] = useState(() => now.get());
  const [input, setInput] = useState(() => inputOf(token));
  const changes = changesOf(token, input, openedAt);
  const isValid =
    changes.name !== '' && (changes.permissions === undefined || changes.permissions.length > 0);
  return (
    <ConfirmDialog
      isOpen
      title={tokensTexts.changeTitle(token.name)}
      confirm={tokensTexts.save}
      isDisabled={!isValid || Object.keys(changes).length === 0}
      onConfirm={async () => {
        await updateToken(client, { tokenID: token.id, body: changes });
        await queries.invalidateQueries({ queryKey: tokensKey(projectID) });
        showDone(tokensTexts.saved);
      }}
      onClose={onClose}
    >
      <Stack gap="md">
        <TokenFields
          input={input}
          onChange={setInput}
          held={held}
          endsNow={token.expiresAt === null ? tokensTexts.expiries.never : formatExact(token.expiresAt)}
        />
        <TokenChanges token={token} changes={changes} />
      </Stack>
    </ConfirmDialog>
  );
}
