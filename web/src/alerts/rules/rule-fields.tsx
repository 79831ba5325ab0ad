import { Checkbox, Group, NativeSelect, NumberInput, Text, TextInput } from '@mantine/core';
import { alertRuleKinds } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { alertsTexts } from '../../texts/alerts.ts';
import { channelsQuery } from '../alert-queries.ts';
import classes from './rule-fields.module.css';
import { fieldsOf, type RuleInput } from './rule-input.ts';

interface RuleFieldsProps {
  readonly projectID: string;
  readonly input: RuleInput;
  /** The kind of a rule stays. */
  readonly isNew: boolean;
  readonly onChange: (input: RuleInput) => void;
}

export function RuleFields({ projectID, input, isNew, onChange }: RuleFieldsProps) {
  const fields = fieldsOf[input.kind];
  const set = (change: Partial<RuleInput>) => onChange({ ...input, ...change });
  return (
    <>
      <NativeSelect
        label={alertsTexts.tellsOf}
        value={input.kind}
        disabled={!isNew}
        onChange={({ currentTarget }) =>
          set({ kind: alertRuleKinds.find((kind) => kind === currentTarget.value) ?? 'new_group' })
        }
        data={alertRuleKinds.map((value) => ({ value, label: alertsTexts.kinds[value] }))}
      />
      {fields.includes('many') && (
        <div>
          <Group grow align="flex-end" gap="sm">
            <NumberInput
              label={alertsTexts.agents}
              value={input.agents}
              onChange={(agents) => set({ agents })}
              min={1}
              allowDecimal={false}
            />
            <NumberInput
              label={alertsTexts.share}
              value={input.percent}
              onChange={(percent) => set({ percent })}
              min={0.1}
              max={100}
              suffix="%"
            />
          </Group>
          <Text size="xs" c="dimmed" mt={4}>
            {input.agents === '' && input.percent === '' ? alertsTexts.oneOfBoth : alertsTexts.eitherOf}
          </Text>
        </div>
      )}
      {fields.includes('window') && (
        <NumberInput
          label={alertsTexts.window}
          value={input.windowMinutes}
          onChange={(windowMinutes) => set({ windowMinutes })}
          min={1}
          max={1_440}
          allowDecimal={false}
        />
      )}
      {fields.includes('days') && (
        <NumberInput
          label={alertsTexts.days}
          value={input.days}
          onChange={(days) => set({ days })}
          min={1}
          max={365}
          allowDecimal={false}
        />
      )}
      <ChannelFields projectID={projectID} input={input} onChange={onChange} />
      {fields.includes('pause') && (
        <NativeSelect
          label={alertsTexts.pause}
          value={String(input.cooldownSeconds)}
          onChange={({ currentTarget }) => set({ cooldownSeconds: Number(currentTarget.value) })}
          data={pausesWith(input.cooldownSeconds)}
        />
      )}
      <TextInput
        label={alertsTexts.ruleName}
        description={alertsTexts.ruleNameHint}
        value={input.name}
        maxLength={128}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
      />
    </>
  );
}

/** The usual pauses, and the one that the rule has. */
function pausesWith(seconds: number) {
  const usual = Object.entries(alertsTexts.pauses).map(([value, label]) => ({ value, label }));
  const isUsual = usual.some(({ value }) => value === String(seconds));
  return isUsual ? usual : [...usual, { value: String(seconds), label: alertsTexts.seconds(seconds) }];
}

function ChannelFields({ projectID, input, onChange }: Omit<RuleFieldsProps, 'isNew'>) {
  const { data: channels = [] } = useQuery(channelsQuery(projectID));
  const { channelIDs } = input;
  if (channels.length === 0) {
    return (
      <Text size="sm" c="var(--muster-warning)">
        {alertsTexts.noChannels}
      </Text>
    );
  }
  return (
    <fieldset className={classes.told}>
      <legend>{alertsTexts.told}</legend>
      <Checkbox
        size="sm"
        label={alertsTexts.allChannels}
        checked={channelIDs === undefined}
        onChange={({ currentTarget }) =>
          onChange({ ...input, channelIDs: currentTarget.checked ? undefined : [] })
        }
      />
      {channelIDs !== undefined &&
        channels.map(({ id, name }) => (
          <Checkbox
            key={id}
            size="sm"
            label={<bdi>{name}</bdi>}
            checked={channelIDs.includes(id)}
            onChange={({ currentTarget }) =>
              onChange({
                ...input,
                channelIDs: currentTarget.checked
                  ? [...channelIDs, id]
                  : channelIDs.filter((one) => one !== id),
              })
            }
          />
        ))}
    </fieldset>
  );
}
