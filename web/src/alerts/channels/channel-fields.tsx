import { Checkbox, Group, PasswordInput, Radio, SimpleGrid, Text, Textarea, TextInput } from '@mantine/core';
import { alertChannelKinds, alertChannelNeeds } from '@muster/contract';
import { alertsTexts } from '../../texts/alerts.ts';
import type { ChannelInput } from './channel-input.ts';

interface ChannelFieldsProps {
  readonly input: ChannelInput;
  /** The kind of a channel stays, and an empty secret too. */
  readonly isNew: boolean;
  readonly onChange: (input: ChannelInput) => void;
}

export function ChannelFields({ input, isNew, onChange }: ChannelFieldsProps) {
  const set = (change: Partial<ChannelInput>) => onChange({ ...input, ...change });
  const secret = alertChannelNeeds[input.kind];
  const { keyHints } = alertsTexts;
  const hint = (text: string) => (isNew ? text : alertsTexts.keepHint);
  return (
    <>
      {isNew ? (
        <Radio.Group
          label={alertsTexts.channelKind}
          value={input.kind}
          onChange={(chosen) =>
            set({ kind: alertChannelKinds.find((kind) => kind === chosen) ?? input.kind })
          }
        >
          <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="xs" verticalSpacing="xs" mt={6}>
            {alertChannelKinds.map((kind) => (
              <Radio key={kind} size="sm" value={kind} label={alertsTexts.channelKinds[kind]} />
            ))}
          </SimpleGrid>
        </Radio.Group>
      ) : (
        <TextInput label={alertsTexts.channelKind} value={alertsTexts.channelKinds[input.kind]} disabled />
      )}
      <TextInput
        label={alertsTexts.channelName}
        value={input.name}
        maxLength={128}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        required
        data-autofocus
      />
      {secret === 'url' && (
        <PasswordInput
          label={alertsTexts.url}
          description={hint(alertsTexts.urlHint)}
          value={input.url}
          maxLength={2_048}
          placeholder="https://"
          onChange={({ currentTarget }) => set({ url: currentTarget.value })}
          required={isNew}
          {...unkept}
        />
      )}
      {secret === 'key' && (
        <PasswordInput
          label={alertsTexts.key}
          description={hint(input.kind === 'opsgenie' ? keyHints.opsgenie : keyHints.pagerduty)}
          value={input.key}
          maxLength={256}
          onChange={({ currentTarget }) => set({ key: currentTarget.value })}
          required={isNew}
          {...unkept}
        />
      )}
      {secret === 'recipients' && (
        <Textarea
          label={alertsTexts.recipients}
          description={hint(alertsTexts.recipientsHint)}
          value={input.recipients}
          onChange={({ currentTarget }) => set({ recipients: currentTarget.value })}
          autosize
          minRows={2}
          required={isNew}
        />
      )}
      {secret === null && <Text size="sm">{alertsTexts.dashboardHint}</Text>}
      <Checkbox
        label={alertsTexts.quiet}
        checked={input.isQuiet}
        onChange={({ currentTarget }) => set({ isQuiet: currentTarget.checked })}
      />
      {input.isQuiet && (
        <Group grow align="flex-end" gap="sm">
          <TextInput
            type="time"
            label={alertsTexts.quietFrom}
            value={input.quietFrom}
            onChange={({ currentTarget }) => set({ quietFrom: currentTarget.value })}
          />
          <TextInput
            type="time"
            label={alertsTexts.quietUntil}
            value={input.quietUntil}
            onChange={({ currentTarget }) => set({ quietUntil: currentTarget.value })}
          />
          <TextInput
            label={alertsTexts.timeZone}
            value={input.timeZone}
            maxLength={64}
            onChange={({ currentTarget }) => set({ timeZone: currentTarget.value })}
          />
        </Group>
      )}
    </>
  );
}

/** It is no password of the person, so no browser offers to keep it. */
const unkept = { autoComplete: 'off', 'data-1p-ignore': true } as const;
