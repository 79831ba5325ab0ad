import type { Permission } from '@muster/client';
import { type Role, roles } from '@muster/contract';
import { type Command, Option } from 'commander';
import { CommandError } from '../../command-error.ts';
import { collectPermissions } from '../../read-permissions.ts';

export interface RoleFlags {
  readonly role?: Role;
  readonly permission?: readonly Permission[];
}

export function addRoleFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--role <role>',
        'owner: everything, members included. operator: everything but members and the project. viewer: reads.',
      ).choices(roles),
    )
    .option(
      '--permission <permission>',
      'Instead of a role: a permission, such as read:agent_error; may be repeated or hold several separated by commas.',
      collectPermissions,
    );
}

/** @throws CommandError usage, if it is neither a role nor permissions, or both */
export function roleOf({ role, permission }: RoleFlags): { role: Role } | { permissions: Permission[] } {
  if ((role === undefined) === (permission === undefined)) {
    throw new CommandError('usage', 'Give either --role or --permission.', `Roles: ${roles.join(', ')}.`);
  }
  return role === undefined ? { permissions: [...(permission ?? [])] } : { role };
}
