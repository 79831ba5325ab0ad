import { Button, Group, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { partsTexts } from '../texts/parts.ts';
import { Command } from './command.tsx';

interface SecretDialogProps {
  readonly title: string;
  /** Undefined: there is nothing to show. The caller keeps it in the state of a component and nowhere else. */
  readonly secret: string | undefined;
  /** What it is for. */
  readonly children?: ReactNode;
  /** Forgets it. */
  readonly onClose: () => void;
}

/** Shows a secret once. It closes by its button alone, so that no stray click loses it. */
export function SecretDialog({ title, secret, children, onClose }: SecretDialogProps) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      // It closes at once, because nothing of the secret is kept to be shown meanwhile.
      transitionProps={{ duration: 0 }}
      size="lg"
    >
      <Text size="sm" mb="sm">
        {partsTexts.shownOnce}
      </Text>
      {secret !== undefined && <Command command={secret} />}
      {children}
      <Group justify="flex-end" mt="lg">
        <Button onClick={onClose}>{partsTexts.kept}</Button>
      </Group>
    </Modal>
  );
}
