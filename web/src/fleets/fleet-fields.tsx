import { Checkbox, Stack, TextInput } from '@mantine/core';
import { fleetsTexts } from '../texts/fleets.ts';
import type { FleetInput } from './fleet-input.ts';

interface FleetFieldsProps {
  readonly input: FleetInput;
  readonly onChange: (input: FleetInput) => void;
  /** Of the name, instead of what it may consist of. */
  readonly nameHint?: string | undefined;
}

export function FleetFields({ input, onChange, nameHint }: FleetFieldsProps) {
  const set = (change: Partial<FleetInput>) => onChange({ ...input, ...change });
  return (
    <Stack gap="md">
      <TextInput
        label={fleetsTexts.name}
        description={nameHint ?? fleetsTexts.nameText}
        value={input.name}
        maxLength={32}
        pattern="[A-Za-z0-9._~\-]*"
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        autoComplete="off"
        spellCheck={false}
        required
        data-autofocus
      />
      <TextInput
        label={fleetsTexts.tags}
        description={fleetsTexts.tagsText}
        value={input.tags}
        onChange={({ currentTarget }) => set({ tags: currentTarget.value })}
        autoComplete="off"
      />
      <TextInput
        label={fleetsTexts.minimumVersion}
        description={fleetsTexts.minimumVersionText}
        value={input.minimumVersion}
        maxLength={64}
        onChange={({ currentTarget }) => set({ minimumVersion: currentTarget.value })}
        autoComplete="off"
      />
      <Checkbox
        label={fleetsTexts.reporting}
        description={fleetsTexts.reportingText}
        checked={input.isReporting}
        onChange={({ currentTarget }) => set({ isReporting: currentTarget.checked })}
      />
    </Stack>
  );
}
