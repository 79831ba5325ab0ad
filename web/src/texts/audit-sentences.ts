import type { AuditEntry } from '@muster/client';
import { numberIn, type Sentence, type SentencePart, say, textIn, textsIn } from '../audit/sentence.ts';
import { formatNumber } from '../parts/amount.ts';
import { formatDate } from '../parts/format-time.ts';

type Tell = (entry: AuditEntry) => Sentence;

/** What somebody did, after their name. One sentence for each action of the audit log. */
export const auditSentences: Readonly<Record<AuditEntry['action'], Tell>> = {
  'project.created': (entry) => say`created the project ${target(entry)}`,
  'project.updated': (entry) =>
    say`renamed the project ${nameIn(entry.before) ?? target(entry)} to ${nameIn(entry.after) ?? 'another name'}`,
  'project.deleted': (entry) => say`deleted the project ${target(entry)}`,
  'project.departing': (entry) => say`began to move the project ${target(entry)} to another installation`,
  'project.frozen': (entry) => say`froze the project ${target(entry)} to move it`,
  'project.thawed': (entry) => say`ended the move of the project ${target(entry)}`,
  'project.moved': (entry) => say`moved the project ${target(entry)} to another installation`,
  'project.arriving': (entry) => say`began to take over the project ${target(entry)}`,
  'project.arrived': (entry) => say`took over the project ${target(entry)} from another installation`,
  'token.created': (entry) =>
    say`created the token ${target(entry)} with ${permissions(entry.after)}${expiry(entry.after)}`,
  'token.updated': (entry) => say`changed ${fields(entry)} of the token ${target(entry)}`,
  'token.rotated': (entry) => say`rotated the token ${target(entry)}${handOver(entry)}`,
  'token.earlier_values_ended': (entry) =>
    say`used the new value of the token ${target(entry)} for the first time, which ended the earlier ones`,
  'token.revoked': (entry) =>
    say`revoked the token ${target(entry)}${withCreated(entry)}${entry.after?.revokeAgents === true && ', and the agents that registered with it'}${reason(entry.after)}`,
  'token.leaked': (entry) => leaked('the token', entry),
  'access_token.created': (entry) =>
    say`created the access token ${target(entry)}${narrowing(entry)}${expiry(entry.after)}`,
  'access_token.rotated': (entry) => say`rotated the access token ${target(entry)}${handOver(entry)}`,
  'access_token.earlier_values_ended': (entry) =>
    say`used the new value of the access token ${target(entry)} for the first time, which ended the earlier ones`,
  'access_token.revoked': (entry) => say`revoked the access token ${target(entry)}${withCreated(entry)}`,
  'access_token.leaked': (entry) => leaked('the access token', entry),
  'sign_in_link.created': (entry) => say`created a sign-in link for ${target(entry)}`,
  'sign_in_link.leaked': (entry) => leaked('a sign-in link of', entry),
  'session.created': (entry) => say`signed in with ${signIn(entry)}`,
  'session.revoked': (entry) =>
    entry.target.id !== null && entry.target.id === entry.actor.credentialID
      ? say`signed out`
      : say`revoked a session`,
  'session.leaked': () => say`reported that the value of a session was found in public, which ended it`,
  'user.created': (entry) => say`created the user ${target(entry)}`,
  'user.updated': (entry) => say`changed ${fields(entry)} of the user ${target(entry)}`,
  'user.removed': (entry) => say`removed the user ${target(entry)}`,
  'member.added': (entry) => say`made ${target(entry)} ${role(entry.after)}`,
  'member.updated': (entry) =>
    say`changed the role of ${target(entry)} from ${plainRole(entry.before)} to ${plainRole(entry.after)}`,
  'member.removed': (entry) => say`removed the member ${target(entry)}${tokensOfMember(entry)}`,
  'invitation.created': (entry) => say`invited ${emailIn(entry) ?? 'somebody'} as ${bareRole(entry.after)}`,
  'invitation.accepted': () => say`accepted an invitation`,
  'invitation.revoked': (entry) =>
    say`revoked an invitation${entry.after?.leaked === true && ', because its code was found in public'}`,
  'agent.updated': (entry) => say`changed ${list(textsIn(entry.after, 'fields'))} of ${agents(entry)}`,
  'agent.configuration_changed': (entry) => say`changed the configuration of ${agents(entry)}`,
  'agent.released': (entry) => say`released the machine of ${agents(entry)} for one registration`,
  'agent.deleted': (entry) => say`deleted ${agents(entry)}`,
  'agents.deleted': (entry) =>
    say`deleted ${count(numberIn(entry.after, 'agentsCount'), 'agent', 'agents')}${reason(entry.after)}`,
  'fleet.created': (entry) => say`created the fleet ${target(entry)}`,
  'fleet.updated': (entry) => say`changed ${fields(entry)} of the fleet ${target(entry)}`,
  'fleet.version_created': (entry) => say`created a version of the fleet ${target(entry)}`,
  'fleet.deleted': (entry) => say`deleted the fleet ${target(entry)}`,
  'fleet.variables_changed': (entry) =>
    say`changed the variables ${list(textsIn(entry.after, 'names'))} of the fleet ${target(entry)}`,
  'fleet.secrets_changed': (entry) =>
    say`changed the secrets ${list(textsIn(entry.after, 'names'))} of the fleet ${target(entry)}`,
  'fleet.agents_moved': (entry) =>
    say`moved ${count(numberIn(entry.after, 'agentsCount'), 'agent', 'agents')} to the fleet ${target(entry)}`,
  'rollout.started': (entry) =>
    say`began to give version ${formatNumber(numberIn(entry.after, 'version'))} to the agents of the fleet ${target(entry)}${reason(entry.after)}`,
  'rollout.paused': (entry) =>
    say`paused the rollout of version ${formatNumber(numberIn(entry.after, 'version'))} of the fleet ${target(entry)}${reason(entry.after)}`,
  'rollout.resumed': (entry) =>
    say`resumed the rollout of version ${formatNumber(numberIn(entry.after, 'version'))} of the fleet ${target(entry)}${reason(entry.after)}`,
  'rollout.stopped': (entry) =>
    say`stopped the rollout of version ${formatNumber(numberIn(entry.after, 'version'))} of the fleet ${target(entry)}${reason(entry.after)}`,
  'rollout.reverted': (entry) =>
    say`finished giving the agents of the fleet ${target(entry)} the version before version ${formatNumber(numberIn(entry.after, 'version'))}${reason(entry.after)}`,
  'rollout.waiting': (entry) =>
    say`began to wait with the rollout of version ${formatNumber(numberIn(entry.after, 'version'))} of the fleet ${target(entry)}`,
  'rollout.approved': (entry) =>
    say`approved the next stage of the rollout of version ${formatNumber(numberIn(entry.after, 'version'))} of the fleet ${target(entry)}${reason(entry.after)}`,
  'rollout.promoted': (entry) =>
    say`began the next stage of the rollout of version ${formatNumber(numberIn(entry.after, 'version'))} of the fleet ${target(entry)}${reason(entry.after)}`,
  'rollout.completed': (entry) =>
    say`completed the rollout of version ${formatNumber(numberIn(entry.after, 'version'))} of the fleet ${target(entry)}${reason(entry.after)}`,
  'core_instance.created': (entry) => say`created the core instance ${target(entry)}`,
  'core_instance.updated': (entry) => say`changed ${fields(entry)} of the core instance ${target(entry)}`,
  'core_instance.rotated': (entry) =>
    say`rotated the token of the core instance ${target(entry)}${handOver(entry)}`,
  'core_instance.earlier_values_ended': (entry) =>
    say`used the new token of the core instance ${target(entry)} for the first time, which ended the earlier ones`,
  'core_instance.deleted': (entry) => say`deleted the core instance ${target(entry)}`,
  'core_instance.leaked': (entry) => leaked('the token of the core instance', entry),
  'agent_error.dismissed': (entry) => say`dismissed the error ${quoted(entry)}${reason(entry.after)}`,
  'agent_error.reopened': (entry) => say`reopened the error ${quoted(entry)}`,
  'agent_error_group.updated': (entry) => say`changed ${fields(entry)} of ${causes(entry)}`,
  'agent_error_group.muted': (entry) =>
    say`muted the cause ${quoted(entry)}${until(entry)}${reason(entry.after)}`,
  'agent_error_group.unmuted': (entry) => say`unmuted the cause ${quoted(entry)}`,
  'dismissal.created': (entry) => say`dismissed ${dismissed(entry)}${reason(entry.after)}`,
  'dismissal.finished': ({ after }) =>
    say`finished a dismissal: ${count(numberIn(after, 'errorsCount'), 'error', 'errors')} of ${count(numberIn(after, 'agentsCount'), 'agent', 'agents')}`,
  'dismissal.undone': (entry) =>
    say`began to undo ${entry.target.name === null ? 'a dismissal' : say`the dismissal of the cause ${quoted(entry)}`}${reason(entry.before)}`,
  'dismissal.undo_finished': ({ after }) =>
    say`finished undoing a dismissal: ${count(numberIn(after, 'reopenedCount'), 'error is', 'errors are')} open again`,
  'alert_channel.created': (entry) => say`created the alert channel ${target(entry)}`,
  'alert_channel.updated': (entry) =>
    entry.after?.isSecretChanged === true && entry.before === null
      ? say`rotated the secret of the alert channel ${target(entry)}`
      : say`changed ${fields(entry)} of the alert channel ${target(entry)}${reason(entry.after)}`,
  'alert_channel.deleted': (entry) => say`deleted the alert channel ${target(entry)}`,
  'alert_rule.created': (entry) => say`created the alert rule ${target(entry)}`,
  'alert_rule.updated': (entry) => say`changed ${fields(entry)} of the alert rule ${target(entry)}`,
  'alert_rule.deleted': (entry) => say`deleted the alert rule ${target(entry)}`,
  'provisioning.applied': () => say`applied a provisioning file`,
  'request.denied': (entry) =>
    say`was denied ${deniedOperation(entry)}${numberIn(entry.after, 'count') > 1 && ` ${formatNumber(numberIn(entry.after, 'count'))} times`}`,
};

/** The same of those who did it to themselves, such as a member who left. */
export const ownSentences: Readonly<Partial<Record<AuditEntry['action'], Tell>>> = {
  'token.rotated': (entry) => say`rotated itself${handOver(entry)}`,
  'token.earlier_values_ended': () =>
    say`used its new value for the first time, which ended the earlier ones`,
  'core_instance.rotated': (entry) => say`rotated its own token${handOver(entry)}`,
  'core_instance.earlier_values_ended': () =>
    say`used its new token for the first time, which ended the earlier ones`,
  'member.added': (entry) => say`became ${role(entry.after)}`,
  'member.removed': (entry) => say`left the project${tokensOfMember(entry)}`,
  'agent.configuration_changed': (entry) =>
    say`changed ${entry.target.id === null ? 'their' : 'its'} configuration`,
};

function target({ target: { name, id } }: AuditEntry): SentencePart {
  return name === null ? (id ?? 'unknown') : { name };
}

function quoted(entry: AuditEntry): SentencePart {
  const { name } = entry.target;
  return name === null ? target(entry) : { quote: name };
}

function nameIn(values: AuditEntry['after']): SentencePart | undefined {
  const name = textIn(values, 'name');
  return name === undefined ? undefined : { name };
}

function emailIn({ after }: AuditEntry): SentencePart | undefined {
  const email = textIn(after, 'email');
  return email === undefined ? undefined : { name: email };
}

function reason(values: AuditEntry['after']): Sentence | undefined {
  const text = textIn(values, 'reason');
  return text === undefined ? undefined : say`: ${{ quote: text }}`;
}

function permissions(values: AuditEntry['after']): string {
  const granted = textsIn(values, 'permissions');
  if (granted.includes('*') || granted.includes('*:*')) return 'all permissions';
  if (granted.length === 0) return 'no permissions';
  return granted.length > 4 ? `${granted.length} permissions` : list(granted);
}

function expiry(values: AuditEntry['after']): string | undefined {
  const at = textIn(values, 'expiresAt');
  return at === undefined ? undefined : `, until ${formatDate(at)}`;
}

function until({ after }: AuditEntry): string | undefined {
  const at = textIn(after, 'mutedUntil');
  return at === undefined ? undefined : ` until ${formatDate(at)}`;
}

function narrowing({ after }: AuditEntry): string | undefined {
  const projects = textsIn(after, 'projects').length;
  const grants = textsIn(after, 'permissions').length;
  const limits = [
    ...(projects > 0 ? [count(projects, 'project', 'projects')] : []),
    ...(grants > 0 ? [permissions(after)] : []),
  ];
  return limits.length === 0 ? undefined : `, narrowed to ${limits.join(' and ')}`;
}

function handOver({ after }: AuditEntry): string {
  const seconds = numberIn(after, 'graceSeconds');
  const isEndedByUse = after?.retireOnUse === true;
  if (seconds > 0) return `; the earlier value ends within ${duration(seconds)}`;
  return isEndedByUse
    ? '; the earlier value ends when the new one is used'
    : '; the earlier value ended at once';
}

function duration(seconds: number): string {
  if (seconds % 86_400 === 0) return count(seconds / 86_400, 'day', 'days');
  if (seconds % 3_600 === 0) return count(seconds / 3_600, 'hour', 'hours');
  return seconds % 60 === 0 ? count(seconds / 60, 'minute', 'minutes') : count(seconds, 'second', 'seconds');
}

/** The count includes the token itself. */
function withCreated({ after }: AuditEntry): string | undefined {
  const others = numberIn(after, 'tokensCount') - 1;
  return others < 1 ? undefined : ` and ${count(others, 'token', 'tokens')} created with it`;
}

function tokensOfMember({ after }: AuditEntry): string | undefined {
  const revoked = numberIn(after, 'revokedTokensCount');
  const kept = numberIn(after, 'keptTokensCount');
  if (revoked > 0) return `, and revoked ${count(revoked, 'token', 'tokens')} that they knew`;
  return kept > 0 ? `; ${count(kept, 'token', 'tokens')} that they know still valid` : undefined;
}

function bareRole(values: AuditEntry['after']): string {
  return namedRole(values) ?? `a member with ${permissions(values)}`;
}

function plainRole(values: AuditEntry['after']): string {
  return namedRole(values) ?? permissions(values);
}

/** Undefined: permissions were chosen one by one. */
function namedRole(values: AuditEntry['after']): string | undefined {
  const name = textIn(values, 'role');
  return name === 'custom' ? undefined : name;
}

function role(values: AuditEntry['after']): string {
  const name = bareRole(values);
  if (name.startsWith('a ')) return name;
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}

function signIn({ after }: AuditEntry): string {
  switch (textIn(after, 'method')) {
    case 'sign_in_link':
      return 'a sign-in link';
    case 'access_token':
      return 'an access token';
    default:
      return 'the identity provider';
  }
}

function leaked(kind: string, entry: AuditEntry): Sentence {
  const source = textIn(entry.after, 'source');
  const isRevoked = entry.after?.revoked === true;
  return say`reported that a value of ${kind} ${target(entry)} was found in public${source !== undefined && say` (${{ quote: source }})`}${isRevoked && ', which revoked it'}`;
}

function dismissed(entry: AuditEntry): Sentence {
  const filter = entry.after?.filter;
  const ids = typeof filter === 'object' && filter !== null && 'groupIDs' in filter ? filter.groupIDs : [];
  if (Array.isArray(ids) && ids.length > 1) return say`${count(ids.length, 'cause', 'causes')}`;
  return entry.target.name === null ? say`many errors at once` : say`the cause ${quoted(entry)}`;
}

function causes(entry: AuditEntry): Sentence {
  const number = numberIn(entry.after, 'groupsCount');
  return number > 1 ? say`${count(number, 'cause', 'causes')}` : say`the cause ${quoted(entry)}`;
}

function agents(entry: AuditEntry): Sentence {
  const number = numberIn(entry.after, 'agentsCount');
  return number > 1 ? say`${count(number, 'agent', 'agents')}` : say`the agent ${target(entry)}`;
}

function deniedOperation({ target: { kind, id } }: AuditEntry): string {
  return kind === 'route' && id !== null ? `the operation ${id}` : 'further requests';
}

/** The names of what was changed, such as `name and permissions`. */
/** They say how it was done, or the same as another one. */
const unnamedFields: ReadonlySet<string> = new Set(['reason', 'groupsCount', 'assigneeID']);

function fields({ before, after }: AuditEntry): string {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const changed = [...names].filter(
    (name) => !unnamedFields.has(name) && JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
  );
  return list(changed.map((name) => fieldNames[name] ?? name));
}

const fieldNames: Readonly<Record<string, string>> = {
  assignee: 'the assignee',
  note: 'the note',
  link: 'the link',
  name: 'the name',
  permissions: 'the permissions',
  expiresAt: 'the expiry',
  allowedNetworks: 'the networks',
  reportsPerSecond: 'the reports per second',
  parentID: 'the creator',
  claimValues: 'the groups',
  enabled: 'the state',
  isSecretChanged: 'the secret',
  quietHours: 'the quiet hours',
  target: 'the target',
  kind: 'the kind',
  conditions: 'the conditions',
  channelIDs: 'the channels',
  cooldownSeconds: 'the pause between messages',
};

function list(texts: readonly string[]): string {
  const [first = 'nothing', ...rest] = texts;
  const last = rest.pop();
  return last === undefined ? first : `${[first, ...rest].join(', ')} and ${last}`;
}

function count(number: number, one: string, many: string): string {
  return `${formatNumber(number)} ${number === 1 ? one : many}`;
}
