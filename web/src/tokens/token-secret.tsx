import { Button, Group, Stack, Text } from '@mantine/core';
import { Command } from '../parts/command.tsx';
import { tokensTexts } from '../texts/tokens.ts';
import { type CreatedToken, TokenSnippetTabs } from './token-snippet-tabs.tsx';

/** Shows the value of a token once, with ways to use it. */
export function TokenSecret({
  token,
  onClose,
}: {
  readonly token: CreatedToken;
  readonly onClose: () => void;
}) {
  return (
    <Stack gap="md">
      <Text size="sm">{tokensTexts.secretText}</Text>
      <section aria-label={tokensTexts.secretLabel(token.name)}>
        <Command command={token.token} />
      </section>
      <Text component="h3" fw={600} size="sm">
        {tokensTexts.howToUse}
      </Text>
      <TokenSnippetTabs token={token} />
      <Group justify="flex-end">
        <Button onClick={onClose}>{tokensTexts.isCopied}</Button>
      </Group>
    </Stack>
  );
}
