import { Button, Group, Modal, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { partsTexts } from '../texts/parts.ts';
import { explainError } from './explain-error.ts';

interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** What happens, in a sentence. Fields may stand here too. */
  readonly children: ReactNode;
  /** The verb on the button. */
  readonly confirm: string;
  readonly isDangerous?: boolean;
  /** Of what has much to show. */
  readonly size?: 'lg';
  readonly isDisabled?: boolean;
  /** By their names in the API, such as `url`: what the service calls fields, people read by their labels. */
  readonly fieldLabels?: Readonly<Record<string, string>>;
  /** The dialog stays open, and says why, if it fails. */
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before something happens, and waits until it has. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, isDisabled = false, fieldLabels, onConfirm, onClose } = props;
  // While it closes, it shows what it was for: its caller has forgotten that already.
  const shown = useRef(props);
  if (isOpen) shown.current = props;
  const { title, children, confirm, isDangerous = false, size = 'md' } = shown.current;
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const close = () => {
    // What happens then shows here, and it does happen.
    if (isBusy) return;
    setError(undefined);
    onClose();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Modal opened={isOpen} onClose={close} title={title} size={size}>
      <form onSubmit={(event) => void submit(event)}>
        {children}
        {error !== undefined && (
          <Text c="var(--muster-bad)" size="sm" role="alert" mt="sm">
            {withLabels(explainError(error).text, fieldLabels)}
          </Text>
        )}
        <Group justify="flex-end" mt="lg" gap="xs">
          <Button variant="default" onClick={close} disabled={isBusy}>
            {partsTexts.cancel}
          </Button>
          <Button
            type="submit"
            loading={isBusy}
            disabled={isDisabled}
            {...(isDangerous ? { color: 'red.9' } : {})}
          >
            {confirm}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}

/** The service quotes fields as JSON pointers, such as `'/url'`. */
function withLabels(text: string, labels: Readonly<Record<string, string>> = {}): string {
  return text.replace(/'\/(\w+)[^']*'/g, (written, name) => labels[name] ?? written);
}
