import { Button, Modal, Text } from '@mantine/core';
import { rootURL } from '../service/root-url.ts';
import { sessionTexts } from '../texts/session.ts';
import { signInAddress } from './sign-in-address.ts';

/** Says that the session has ended, and leads back to the same screen after the next sign-in. */
export default function SessionEndDialog() {
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
