import { Button, Text, Title } from '@mantine/core';
import { partsTexts } from '../texts/parts.ts';
import { explainError } from './explain-error.ts';
import classes from './state.module.css';

/** Says what went wrong, and offers to try again. */
export function ErrorState({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const { text, requestID } = explainError(error);
  return (
    <div className={classes.state} role="alert">
      <Title order={2}>{partsTexts.failed}</Title>
      <Text size="sm" maw="36rem">
        {text}
      </Text>
      <Button variant="default" onClick={onRetry}>
        {partsTexts.tryAgain}
      </Button>
      {requestID !== undefined && (
        <Text size="xs" c="dimmed">
          {partsTexts.request} <code>{requestID}</code>
        </Text>
      )}
    </div>
  );
}
