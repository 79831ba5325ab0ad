import { Modal } from '@mantine/core';
import { useState } from 'react';
import { tokensTexts } from '../texts/tokens.ts';
import { CreateTokenForm } from './form/create-token-form.tsx';
import { TokenSecret } from './token-secret.tsx';
import type { CreatedToken } from './token-snippet-tabs.tsx';

interface CreateTokenDialogProps {
  readonly projectID: string;
  readonly isOpen: boolean;
  /** Called before the list is read again. */
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

/** Creates a token, and then shows its value once. */
export function CreateTokenDialog({ projectID, isOpen, onCreated, onClose }: CreateTokenDialogProps) {
  // The value is here and nowhere else: it goes with the dialog.
  const [created, setCreated] = useState<CreatedToken>();
  const close = () => {
    setCreated(undefined);
    onClose();
  };
  const isShown = created !== undefined;
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={isShown ? tokensTexts.secretTitle : tokensTexts.create}
      size="lg"
      // A click beside the dialog must not lose a value that nobody has copied.
      closeOnClickOutside={!isShown}
      closeOnEscape={!isShown}
      withCloseButton={!isShown}
    >
      {isShown ? (
        <TokenSecret token={created} onClose={close} />
      ) : (
        <CreateTokenForm
          projectID={projectID}
          onCreated={(token) => {
            onCreated();
            setCreated(token);
          }}
          onCancel={close}
        />
      )}
    </Modal>
  );
}
