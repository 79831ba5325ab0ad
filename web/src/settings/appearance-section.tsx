import { Radio, Stack, useMantineColorScheme } from '@mantine/core';
import { settingsTexts } from '../texts/settings.ts';

const schemes = ['auto', 'light', 'dark'] as const;

/** Light or dark. It is kept in this browser, and applies at once. */
export function AppearanceSection() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Radio.Group
      label={settingsTexts.scheme}
      description={settingsTexts.schemeText}
      value={colorScheme}
      onChange={(value) => setColorScheme(schemes.find((scheme) => scheme === value) ?? 'auto')}
    >
      <Stack gap="xs" mt="sm">
        {schemes.map((scheme) => (
          <Radio key={scheme} value={scheme} label={settingsTexts.schemes[scheme]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
