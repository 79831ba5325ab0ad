import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { partsTexts } from '../texts/parts.ts';
import { explainError } from './explain-error.ts';

/** Says that something is done. */
export function showDone(message: string): void {
  notifications.show({ message, withBorder: true });
}

/** Says that something is done, and offers to undo it. */
export function showUndoable(message: string, undo: () => Promise<unknown>): void {
  const id = notifications.show({
    withBorder: true,
    autoClose: 15_000,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <span>{message}</span>
        <Button
          size="compact-sm"
          variant="light"
          flex="none"
          onClick={() => {
            notifications.hide(id);
            undo().catch(showError);
          }}
        >
          {partsTexts.undo}
        </Button>
      </Group>
    ),
  });
}

/** Says what has failed, where no part of the screen can say it. */
export function showError(error: unknown): void {
  notifications.show({
    title: partsTexts.failed,
    message: explainError(error).text,
    color: 'red',
    withBorder: true,
    autoClose: false,
  });
}
