import { Checkbox, Text } from '@mantine/core';
import type { Permission } from '@muster/contract';
import { peoplePermissionsTexts } from '../texts/people-permissions.ts';
import { offeredPermissions } from './offered-permissions.ts';
import classes from './people-permission-picker.module.css';

interface PeoplePermissionPickerProps {
  readonly value: readonly Permission[];
  readonly onChange: (value: readonly Permission[]) => void;
  /** False: it cannot be chosen. Absent: all can. */
  readonly mayGive?: (permission: Permission) => boolean;
}

/** Chooses permissions, each with a sentence that says what it permits. */
export function PeoplePermissionPicker({ value, onChange, mayGive }: PeoplePermissionPickerProps) {
  const toggle = (permission: Permission) =>
    onChange(value.includes(permission) ? value.filter((one) => one !== permission) : [...value, permission]);
  return (
    <fieldset className={classes.picker}>
      <legend>
        {peoplePermissionsTexts.label}{' '}
        <span className="quiet">· {peoplePermissionsTexts.chosen(value.length)}</span>
      </legend>
      <div className={classes.list}>
        {offeredPermissions().map(({ resource, text, permissions }) => (
          <div key={resource} className={classes.resource}>
            <Text size="xs" fw={650} c="dimmed">
              {text}
            </Text>
            {permissions.map(({ permission, text: sentence }) => (
              <Checkbox
                key={permission}
                size="xs"
                label={sentence}
                description={permission}
                checked={value.includes(permission)}
                disabled={mayGive !== undefined && !mayGive(permission)}
                onChange={() => toggle(permission)}
              />
            ))}
          </div>
        ))}
      </div>
    </fieldset>
  );
}
