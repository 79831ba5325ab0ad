import type { AuditEntry } from '@muster/client';
import { countOf } from '../output/count-of.ts';

/** A sentence that says who did what. */
export function describeEntry(entry: AuditEntry): string {
  return `${describeActor(entry)} ${describeAction(entry)}${describeDetails(entry)}`;
}

function describeActor({ actor, target, after }: AuditEntry): string {
  const { kind, id, name } = actor;
  if (kind === 'system') return name === null ? 'The service' : `The service (${name})`;
  // The name of an agent is recorded with what it did to itself.
  const shown = name ?? (id === target.id ? target.name : null) ?? id;
  if (kind === 'user') return shown ?? 'A user';
  const noun = kind === 'agent' ? 'agent' : 'token';
  if (kind === 'agent' && shown === null && typeof after?.agentsCount === 'number')
    return countOf(after.agentsCount, 'agent');
  return shown === null ? `Several ${noun}s` : `The ${noun} ${quote(shown)}`;
}

/** Longer lists, such as the ids of all agents, are cut; JSON has all of them. */
const maxListLength = 24;
const beginningLength = 3;

/** Nouns that differ from the kind of the target. */
const nouns: Readonly<Partial<Record<AuditEntry['target']['kind'], string>>> = {
  agent_error: 'error',
  agent_error_group: 'group of errors',
  route: 'operation',
};

/** Verbs that differ from the last word of the action. */
const phrases: Readonly<Partial<Record<AuditEntry['action'], string>>> = {
  'agent.configuration_changed': 'changed the configuration of',
  'agents.deleted': 'deleted agents of',
  'request.denied': 'was denied',
  'token.earlier_values_ended': 'ended the earlier values of',
  'access_token.earlier_values_ended': 'ended the earlier values of',
  'core_instance.earlier_values_ended': 'ended the earlier token of',
  'core_instance.leaked': 'revoked because its token leaked:',
  'core_instance.rotated': 'rotated the token of',
  'token.leaked': 'revoked because it leaked:',
  'access_token.leaked': 'revoked because it leaked:',
  'fleet.version_created': 'made a version of',
  'fleet.agents_moved': 'moved agents to',
  'fleet.variables_changed': 'changed variables of',
  'fleet.secrets_changed': 'changed secrets of',
  'rollout.started': 'started a rollout to',
  'rollout.paused': 'paused a rollout to',
  'rollout.resumed': 'resumed a rollout to',
  'rollout.stopped': 'stopped a rollout to',
  'rollout.reverted': 'took back a rollout to',
  'rollout.waiting': 'held a rollout to',
  'rollout.approved': 'approved a stage of a rollout to',
  'rollout.promoted': 'promoted a rollout to',
  'rollout.completed': 'completed a rollout to',
  'dismissal.undone': 'began to undo',
  'dismissal.undo_finished': 'finished the undo of',
  'provisioning.applied': 'provisioned',
};

function describeAction({ action, actor, target }: AuditEntry): string {
  // Agents change only themselves.
  if (action === 'agent.configuration_changed' && actor.kind === 'agent')
    return `changed ${actor.id === null ? 'their' : 'its'} configuration`;
  const verb = phrases[action] ?? action.slice(action.indexOf('.') + 1).replaceAll('_', ' ');
  const noun = nouns[target.kind] ?? target.kind.replaceAll('_', ' ');
  const shown = target.name ?? target.id;
  if (target.kind === 'agent' && shown === null) return `${verb} several agents`;
  return shown === null ? `${verb} the ${noun}` : `${verb} the ${noun} ${quote(shown)}`;
}

function describeDetails({ before, after }: AuditEntry): string {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const parts = [...names].flatMap((name) => {
    const [old, now] = [before?.[name], after?.[name]];
    if (now === undefined || now === null)
      return old === undefined || old === null ? [] : [`${name} was ${show(old)}`];
    return old === undefined || old === null
      ? [`${name} ${show(now)}`]
      : [`${name} ${show(old)} → ${show(now)}`];
  });
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function show(value: unknown): string {
  if (Array.isArray(value)) return showList(value);
  return typeof value === 'string' ? quote(value) : JSON.stringify(value);
}

function showList(values: readonly unknown[]): string {
  const shown = values.length > maxListLength ? values.slice(0, beginningLength) : values;
  const rest = values.length - shown.length;
  return `${shown.map(String).join(' ') || 'none'}${rest === 0 ? '' : ` and ${rest} more`}`;
}

function quote(text: string): string {
  return `'${text}'`;
}
