import { Checkbox, Stack, Text } from '@mantine/core';
import { allows, type Grant, type Permission, type Resource } from '@muster/contract';
import { permissionTexts, resourceTexts, wildcardTexts } from '../texts/permissions.ts';
import { tokensTexts } from '../texts/tokens.ts';
import { describeGrant } from './describe-grant.ts';
import classes from './permission-picker.module.css';

interface PermissionPickerProps {
  readonly value: readonly Grant[];
  readonly onChange: (value: Grant[]) => void;
  /** What the user has: nobody grants more than that. */
  readonly held: readonly Grant[];
}

/** Every permission with a sentence that says what it allows. */
export function PermissionPicker({ value, onChange, held }: PermissionPickerProps) {
  const set = (grant: Grant, isChosen: boolean) =>
    onChange(isChosen ? [...value, grant] : value.filter((one) => one !== grant));
  return (
    <Stack gap="md" className={classes.picker ?? ''}>
      {groups.map(({ title, grants }) => (
        <fieldset key={title} className={classes.group}>
          <legend>{title}</legend>
          {grants.map((grant) => {
            const isImplied = !value.includes(grant) && allows(value, grant);
            const isBeyond = !allows(held, grant);
            return (
              <Checkbox
                key={grant}
                size="xs"
                checked={isImplied || value.includes(grant)}
                disabled={isImplied || isBeyond}
                onChange={({ currentTarget }) => set(grant, currentTarget.checked)}
                label={
                  <>
                    {describeGrant(grant)} <code>{grant}</code>
                  </>
                }
                {...(isBeyond ? { description: tokensTexts.beyondYou } : {})}
              />
            );
          })}
        </fieldset>
      ))}
      {value.length === 0 && (
        <Text size="xs" c="dimmed">
          {tokensTexts.nothingChosen}
        </Text>
      )}
    </Stack>
  );
}

const permissions = Object.keys(permissionTexts) as Permission[]; // the keys of the literal object
const wildcards = Object.keys(wildcardTexts) as Grant[]; // the keys of the literal object

const groups: readonly { readonly title: string; readonly grants: readonly Grant[] }[] = [
  ...[...new Set(permissions.map(resourceOf))].map((resource) => ({
    title: resourceTexts[resource],
    grants: permissions.filter((permission) => resourceOf(permission) === resource),
  })),
  { title: tokensTexts.wildcards, grants: wildcards },
];

function resourceOf(permission: Permission): Resource {
  return permission.slice(permission.indexOf(':') + 1) as Resource; // the second part of a permission
}
