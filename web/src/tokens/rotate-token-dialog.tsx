import { Modal, NativeSelect, Text } from '@mantine/core';
import { rotateToken, type Token } from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { client } from '../service/client.ts';
import { tokensTexts } from '../texts/tokens.ts';
import { graceBodies, type TokenGrace, tokenGraces } from './token-graces.ts';
import { tokensKey } from './token-queries.ts';
import { TokenSecret } from './token-secret.tsx';
import type { CreatedToken } from './token-snippet-tabs.tsx';

interface RotateTokenDialogProps {
  readonly projectID: string;
  readonly token: Token;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Asks how long the earlier value is valid, rotates the token, and shows its new value once. */
export function RotateTokenDialog({ projectID, token, isOpen, onClose }: RotateTokenDialogProps) {
  const queries = useQueryClient();
  const [grace, setGrace] = useState<TokenGrace>('day');
  // The value is here and nowhere else: it goes with the dialog.
  const [rotated, setRotated] = useState<CreatedToken>();
  const forget = () => setRotated(undefined);
  return (
    <>
      <ConfirmDialog
        isOpen={isOpen}
        title={tokensTexts.rotateTitle(token.name)}
        confirm={tokensTexts.rotate}
        onConfirm={async () => {
          setRotated(await rotateToken(client, { tokenID: token.id, body: graceBodies[grace] }));
          void queries.invalidateQueries({ queryKey: tokensKey(projectID) });
        }}
        onClose={onClose}
      >
        <Text size="sm" mb="md">
          {tokensTexts.rotateText}
        </Text>
        <NativeSelect
          label={tokensTexts.grace}
          value={grace}
          onChange={({ currentTarget }) =>
            setGrace(tokenGraces.find((one) => one === currentTarget.value) ?? 'day')
          }
          data={tokenGraces.map((value) => ({ value, label: tokensTexts.graces[value] }))}
        />
      </ConfirmDialog>
      <Modal
        opened={rotated !== undefined}
        onClose={forget}
        title={tokensTexts.secretTitle}
        size="lg"
        closeOnClickOutside={false}
        closeOnEscape={false}
        withCloseButton={false}
      >
        {rotated !== undefined && <TokenSecret token={rotated} onClose={forget} />}
      </Modal>
    </>
  );
}
