import { eventTypes, eventPermissions as permissionsOfEvents } from '@muster/contract';
import { expect, it } from 'vitest';
import { eventPermissions, topics, topicsOf } from './topics.ts';

/** By hand: what a user sees of each event without reading the page again. */
const changed: Readonly<Record<string, readonly string[]>> = {
  'agent_error.created': ['causes'],
  'agent_error.dismissed': ['causes'],
  'agent_error.reopened': ['causes'],
  'agent_error_group.new': ['causes'],
  'agent_error_group.regressed': ['causes'],
  'agent_error_group.muted': ['causes'],
  'agent.registered': ['agents'],
  'agent.configuration_changed': ['agents'],
  'agent.status_changed': ['agents'],
  'agent.deleted': ['agents'],
  'fleet.created': ['fleets'],
  'fleet.updated': ['fleets'],
  'fleet.version_created': ['fleets'],
  'fleet.version_published': ['fleets'],
  'fleet.agents_moved': ['fleets'],
  'fleet.variables_changed': ['fleets'],
  'fleet.secrets_changed': ['fleets'],
  'fleet.deleted': ['fleets'],
  'rollout.started': ['fleets'],
  'rollout.paused': ['fleets'],
  'rollout.resumed': ['fleets'],
  'rollout.stopped': ['fleets'],
  'rollout.reverted': ['fleets'],
  'rollout.waiting': ['fleets'],
  'rollout.approved': ['fleets'],
  'rollout.promoted': ['fleets'],
  'rollout.completed': ['fleets'],
  'core_instance.created': ['sites'],
  'core_instance.updated': ['sites'],
  'core_instance.rotated': ['sites'],
  'core_instance.leaked': ['sites'],
  'core_instance.unreachable': ['sites'],
  'core_instance.reachable': ['sites'],
  'core_instance.deleted': ['sites'],
  'dismissal.created': ['dismissals', 'causes'],
  'dismissal.finished': ['dismissals', 'causes'],
  'dismissal.undone': ['dismissals', 'causes'],
  'token.created': ['tokens'],
  'token.updated': ['tokens'],
  'token.rotated': ['tokens'],
  'token.revoked': ['tokens'],
  'token.leaked': ['tokens'],
  'member.added': ['members', 'project'],
  'member.updated': ['members', 'project'],
  'member.removed': ['members', 'project'],
  'project.updated': ['project'],
  'alert_channel.created': ['alerts'],
  'alert_channel.updated': ['alerts'],
  'alert_channel.deleted': ['alerts'],
  'alert_rule.created': ['alerts'],
  'alert_rule.updated': ['alerts'],
  'alert_rule.deleted': ['alerts'],
  reset: topics,
  'something.newer': [],
};

it('tell for each type of event what it changes', () => {
  const of = (type: string) => topicsOf({ type } as Parameters<typeof topicsOf>[0]); // the field that is read
  const types = [...eventTypes, 'reset', 'something.newer'];
  expect(Object.fromEntries(types.map((type) => [type, of(type)]))).toEqual(changed);
});

it('know which permissions give some events', () => {
  expect([...eventPermissions].sort()).toEqual([...new Set(Object.values(permissionsOfEvents))].sort());
});
