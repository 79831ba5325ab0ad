import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { Command } from '../../parts/command.tsx';
import { alertsTexts } from '../../texts/alerts.ts';

interface WebhookSecretProps {
  /** Undefined: there is nothing to show. It may be held in the state of a component alone. */
  readonly secret: string | undefined;
  /** Forgets it. */
  readonly onClose: () => void;
}

/** Shows the secret of a webhook once. It closes by its button alone, so that no stray click loses it. */
export function WebhookSecret({ secret, onClose }: WebhookSecretProps) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onClose}
      title={alertsTexts.secretTitle}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Text size="sm">{alertsTexts.secretText}</Text>
        {secret !== undefined && (
          <section aria-label={alertsTexts.secretLabel}>
            <Command command={secret} />
          </section>
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>{alertsTexts.isCopied}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
