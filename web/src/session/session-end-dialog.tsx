import { Button, Modal, Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { rootURL } from '../service/root-url.ts';
import { sessionTexts } from '../texts/session.ts';
import type { SessionEnd } from './session-end.ts';
import { signInAddress } from './sign-in-address.ts';

/** Says that the session has ended, and leads back to the same screen after the next sign-in. */
export function SessionEndDialog({ sessionEnd }: { readonly sessionEnd: SessionEnd }) {
  const hasEnded = useSyncExternalStore(sessionEnd.subscribe, sessionEnd.hasEnded);
  if (!hasEnded) return null;
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={sessionTexts.ended}
    >
      <Text mb="md">{sessionTexts.endedText}</Text>
      <Button component="a" href={signInAddress(rootURL, window.location)} data-autofocus fullWidth>
        {sessionTexts.signInAgain}
      </Button>
    </Modal>
  );
}
