import type { ProjectEvent } from '@muster/client';
import type { Permission } from '@muster/contract';

/** What a query reads, as far as events tell that it has changed. */
export type Topic =
  | 'agents'
  | 'fleets'
  | 'sites'
  | 'causes'
  | 'dismissals'
  | 'tokens'
  | 'members'
  | 'alerts'
  | 'project';

export const topics: readonly Topic[] = [
  'agents',
  'fleets',
  'sites',
  'causes',
  'dismissals',
  'tokens',
  'members',
  'alerts',
  'project',
];

/** What may have changed before the first event of a stream. The name of the project was read a moment ago. */
export const topicsAtBegin: readonly Topic[] = topics.filter((topic) => topic !== 'project');

/** What has changed when an event arrives. A newer service may send types that are not known here: they change nothing. */
export function topicsOf({ type }: ProjectEvent): readonly Topic[] {
  if (type === 'reset') return topics;
  const [subject] = type.split('.');
  return changedBy[subject ?? ''] ?? [];
}

const changedBy: Readonly<Record<string, readonly Topic[]>> = {
  agent: ['agents'],
  fleet: ['fleets'],
  rollout: ['fleets'],
  core_instance: ['sites'],
  agent_error: ['causes'],
  agent_error_group: ['causes'],
  dismissal: ['dismissals', 'causes'],
  token: ['tokens'],
  // It may be the user's own role.
  member: ['members', 'project'],
  project: ['project'],
  alert_channel: ['alerts'],
  alert_rule: ['alerts'],
};

/** Somebody who has one of these gets events; the tests compare them with the contract. */
export const eventPermissions: readonly Permission[] = [
  'read:agent_error',
  'read:agent',
  'read:fleet',
  'read:core_instance',
  'read:token',
  'read:member',
  'read:project',
  'read:webhook',
];
