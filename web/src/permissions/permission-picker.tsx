import { Checkbox, Text } from '@mantine/core';
import { allows, type Grant } from '@muster/contract';
import { useState } from 'react';
import { permissionsTexts } from '../texts/permissions.ts';
import { describeGrant } from './describe-grant.ts';
import { type Audience, offeredPermissions } from './offered-permissions.ts';
import classes from './permission-picker.module.css';

interface PermissionPickerProps {
  readonly audience: Audience;
  readonly value: readonly Grant[];
  readonly onChange: (value: Grant[]) => void;
  /** What the user has: nobody gives more than that. Absent: everything can be chosen. */
  readonly held?: readonly Grant[];
}

/** Chooses permissions, each with a sentence that says what it allows. */
export function PermissionPicker({ audience, value, onChange, held }: PermissionPickerProps) {
  const [groups] = useState(() => withOthers(audience, value));
  const set = (grant: Grant, isChosen: boolean) =>
    onChange(isChosen ? [...value, grant] : value.filter((one) => one !== grant));
  return (
    <fieldset className={classes.picker}>
      <legend>
        {permissionsTexts.label}{' '}
        <span className="quiet">
          · {value.length === 0 ? permissionsTexts.nothingChosen : permissionsTexts.chosen(value.length)}
        </span>
      </legend>
      <div className={classes.list}>
        {groups.map(({ title, grants }) => (
          <div key={title} className={classes.group}>
            <Text size="xs" fw={650} c="dimmed">
              {title}
            </Text>
            {grants.map(({ grant, text }) => {
              const isChosen = value.includes(grant);
              const isImplied = !isChosen && allows(value, grant);
              const isBeyond = held !== undefined && !allows(held, grant);
              return (
                <Checkbox
                  key={grant}
                  size="xs"
                  checked={isImplied || isChosen}
                  // What somebody else gave can be taken away.
                  disabled={isImplied || (isBeyond && !isChosen)}
                  onChange={({ currentTarget }) => set(grant, currentTarget.checked)}
                  label={
                    <>
                      {text} <code>{grant}</code>
                    </>
                  }
                  {...(isBeyond ? { description: permissionsTexts.beyondYou } : {})}
                />
              );
            })}
          </div>
        ))}
      </div>
    </fieldset>
  );
}

/** Also what is chosen and not offered, such as `*:token`. */
function withOthers(audience: Audience, value: readonly Grant[]) {
  const groups = offeredPermissions(audience);
  const known = new Set(groups.flatMap(({ grants }) => grants.map(({ grant }) => grant)));
  const others = value.filter((grant) => !known.has(grant));
  if (others.length === 0) return groups;
  const grants = others.map((grant) => ({ grant, text: describeGrant(grant, audience) }));
  return [...groups, { title: permissionsTexts.others, grants }];
}
