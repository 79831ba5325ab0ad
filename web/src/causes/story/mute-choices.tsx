import { NativeSelect, Radio, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { causesTexts } from '../../texts/causes.ts';
import type { MuteChoice, MuteKind } from './mute-choice.ts';
import classes from './mute-choices.module.css';

interface MuteChoicesProps {
  /** `dismiss`: not to mute at all. */
  readonly chosen: MuteKind | 'dismiss';
  readonly choice: MuteChoice;
  readonly onChoose: (kind: MuteKind | 'dismiss') => void;
  readonly onChange: (choice: MuteChoice) => void;
  /** Several causes have no number of agents in common. */
  readonly isOne: boolean;
  /** What it would dismiss. Absent: dismissing is not offered. */
  readonly dismissText?: string | undefined;
}

/** How long to mute, or to dismiss anyway. */
export function MuteChoices({ chosen, choice, onChoose, onChange, isOne, dismissText }: MuteChoicesProps) {
  return (
    <Radio.Group
      value={chosen}
      onChange={(value) => onChoose(value as MuteKind | 'dismiss')} // one of those below
      aria-label={causesTexts.whatToDo}
    >
      <Choice kind="configuration" chosen={chosen} label={causesTexts.untilConfiguration}>
        {causesTexts.untilConfigurationText}
      </Choice>
      {isOne && (
        <Choice kind="agents" chosen={chosen} label={causesTexts.untilAgents}>
          <TextInput
            size="xs"
            w="7rem"
            inputMode="numeric"
            aria-label={causesTexts.agentsOrMore}
            value={choice.agents}
            onFocus={() => onChoose('agents')}
            onChange={({ currentTarget }) => {
              onChoose('agents');
              onChange({ ...choice, agents: currentTarget.value });
            }}
          />
        </Choice>
      )}
      <Choice kind="time" chosen={chosen} label={causesTexts.muteForTime}>
        <NativeSelect
          size="xs"
          w="9rem"
          aria-label={causesTexts.muteFor}
          value={choice.time}
          onFocus={() => onChoose('time')}
          onChange={({ currentTarget }) => {
            onChoose('time');
            onChange({ ...choice, time: currentTarget.value as MuteChoice['time'] }); // one of the options below
          }}
          data={Object.entries(causesTexts.muteTimes).map(([value, label]) => ({ value, label }))}
        />
      </Choice>
      {dismissText !== undefined && (
        <Choice kind="dismiss" chosen={chosen} label={causesTexts.dismissAnyway}>
          {dismissText}
        </Choice>
      )}
    </Radio.Group>
  );
}

interface ChoiceProps {
  readonly kind: MuteKind | 'dismiss';
  readonly chosen: MuteKind | 'dismiss';
  readonly label: string;
  readonly children: ReactNode;
}

function Choice({ kind, chosen, label, children }: ChoiceProps) {
  return (
    <div className={classes.choice} data-is-chosen={chosen === kind || undefined}>
      <Radio value={kind} label={label} size="sm" />
      <div className={classes.more}>{children}</div>
    </div>
  );
}
