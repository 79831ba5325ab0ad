import type { AuditEntry } from '@muster/client';

/** A sentence that says who did what. */
export function describeEntry(entry: AuditEntry): string {
  return `${describeActor(entry)} ${describeAction(entry)}${describeDetails(entry)}`;
}

function describeActor({ actor }: AuditEntry): string {
  const { kind, id, name } = actor;
  if (kind === 'system') return name === null ? 'The service' : `The service (${name})`;
  const shown = name ?? id;
  if (kind === 'user') return shown ?? 'A user';
  const noun = kind === 'agent' ? 'agent' : 'token';
  return shown === null ? `Several ${noun}s` : `The ${noun} ${quote(shown)}`;
}

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
  'token.leaked': 'revoked because it leaked:',
  'access_token.leaked': 'revoked because it leaked:',
  'dismissal.undo_finished': 'finished the undo of',
  'provisioning.applied': 'provisioned',
};

function describeAction({ action, target }: AuditEntry): string {
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
  if (Array.isArray(value)) return value.map(String).join(' ') || 'none';
  return typeof value === 'string' ? quote(value) : JSON.stringify(value);
}

function quote(text: string): string {
  return `'${text}'`;
}
