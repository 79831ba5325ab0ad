import type { Member } from '@muster/client';
import { describeGrants } from '../permissions/describe-grants.ts';
import { membersTexts } from '../texts/members.ts';

/** A role by its name, or what the permissions instead come to. */
export function describeRole({ role, permissions }: Pick<Member, 'role' | 'permissions'>): string {
  return role === 'custom' ? describeGrants(permissions) : membersTexts.roles[role];
}
