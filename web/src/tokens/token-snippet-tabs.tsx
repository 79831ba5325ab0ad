import { Stack, Tabs, Text } from '@mantine/core';
import type { Token } from '@muster/client';
import { Command } from '../parts/command.tsx';
import { rootURL } from '../service/root-url.ts';
import { tokensTexts } from '../texts/tokens.ts';
import { tokenSnippets } from './token-snippets.ts';

/** A token with its whole value. It may be held in the state of a component alone, and goes with it. */
export type CreatedToken = Pick<Token, 'name' | 'token' | 'permissions'>;

/** The ways to use a token, with its value in them. */
export function TokenSnippetTabs({ token: { token, permissions } }: { readonly token: CreatedToken }) {
  const snippets = tokenSnippets({ url: rootURL, token, permissions });
  return (
    <Tabs defaultValue={snippets[0]?.id ?? null} keepMounted={false}>
      <Tabs.List aria-label={tokensTexts.howToUse}>
        {snippets.map(({ id }) => (
          <Tabs.Tab key={id} value={id}>
            {tokensTexts.snippets[id]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ id, parts }) => (
        <Tabs.Panel key={id} value={id} pt="sm">
          <Stack gap="xs">
            {parts.map(({ place, text }) => (
              <div key={place}>
                <Text size="xs" c="dimmed" mb={4}>
                  {tokensTexts.places[place]}
                </Text>
                <Command command={text} />
              </div>
            ))}
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
