import { Radio, Stack } from '@mantine/core';
import type { CreateInvitation, Member } from '@muster/client';
import { type Grant, isGrant } from '@muster/contract';
import { PermissionPicker } from '../permissions/permission-picker.tsx';
import { membersTexts } from '../texts/members.ts';
import { givableRoles } from './member-rights.ts';

/** A role, or permissions instead. */
export interface ChosenRole {
  readonly role: Member['role'];
  /** Of `custom`. */
  readonly permissions: readonly Grant[];
}

interface RoleFieldsProps {
  readonly value: ChosenRole;
  /** What the caller has: nobody gives more. */
  readonly held: readonly Grant[];
  readonly onChange: (value: ChosenRole) => void;
}

/** Chooses a role that the caller may give. */
export function RoleFields({ value, held, onChange }: RoleFieldsProps) {
  const choices = [...givableRoles(held), 'custom'] as const;
  return (
    <>
      <Radio.Group
        label={membersTexts.role}
        value={value.role}
        onChange={(chosen) => {
          const role = choices.find((one) => one === chosen);
          if (role !== undefined) onChange({ ...value, role });
        }}
      >
        <Stack gap={8} mt={6}>
          {choices.map((role) => (
            <Radio
              key={role}
              value={role}
              label={membersTexts.roles[role]}
              description={membersTexts.roleTexts[role]}
              // A dialog without a field before it begins here, and not with the button that closes it.
              data-autofocus={role === value.role || undefined}
            />
          ))}
        </Stack>
      </Radio.Group>
      {value.role === 'custom' && (
        <PermissionPicker
          audience="person"
          value={value.permissions}
          onChange={(permissions) => onChange({ ...value, permissions })}
          held={held}
        />
      )}
    </>
  );
}

/** Undefined while nothing is chosen that could be sent. */
export function roleBody({
  role,
  permissions,
}: ChosenRole): Pick<CreateInvitation, 'role' | 'permissions'> | undefined {
  if (role !== 'custom') return { role };
  return permissions.length === 0 ? undefined : { permissions };
}

export function chosenRoleOf({ role, permissions }: Pick<Member, 'role' | 'permissions'>): ChosenRole {
  return { role, permissions: role === 'custom' ? permissions.filter(isGrant) : [] };
}
