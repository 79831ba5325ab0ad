import type { AuditEntry, Rollout } from '@muster/client';
import { allRoutes } from '@muster/contract';
import { countOf, numberOf } from '../output/count-of.ts';
import { describeVerdict } from '../output/rollout-view.ts';
import {
  changesIn,
  expiryIn,
  handOverIn,
  listOf,
  numberIn,
  permissionsIn,
  pointInTime,
  quote,
  reasonIn,
  roleIn,
  target,
  textIn,
  textsIn,
  type Values,
} from './entry-values.ts';

/** @param withCommands writes commands as the person can type them */
type Tell = (entry: AuditEntry, withCommands: (text: string) => string) => string;

/** What somebody did, after their name. One sentence for each action of the audit log. */
export const entrySentences: Readonly<Record<AuditEntry['action'], Tell>> = {
  'project.created': (entry) => `created the project ${target(entry)}`,
  'project.updated': updatedProject,
  'project.deleted': (entry) => `deleted the project ${target(entry)}`,
  'project.departing': (entry) =>
    `began to move the project ${target(entry)} to ${url(entry)}${sealed(entry)}`,
  'project.frozen': (entry) => `froze the project ${target(entry)} to move it to ${url(entry)}`,
  'project.thawed': (entry) => `ended the freeze of the project ${target(entry)}, which stays here`,
  'project.moved': (entry) => `moved the project ${target(entry)} to ${url(entry)}`,
  'project.arriving': (entry) => `began to take over the project ${target(entry)} from ${url(entry)}`,
  'project.arrived': (entry) => `took over the project ${target(entry)} from ${url(entry)}`,
  'token.created': (entry) =>
    `created the token ${target(entry)} with ${permissionsIn(entry.after)}${expiryIn(entry.after)}${limits(entry)}`,
  'token.updated': (entry) => `changed the token ${target(entry)}${changesIn(entry)}`,
  'token.rotated': (entry) => `rotated the token ${target(entry)}${handOverIn(entry.after)}`,
  'token.earlier_values_ended': (entry) => `ended the earlier values of the token ${target(entry)}`,
  'token.revoked': (entry) =>
    `revoked the token ${target(entry)}${createdWithIt(entry)}${entry.after?.revokeAgents === true ? ', and the agents that registered with it' : ''}${reasonIn(entry.after)}`,
  'token.leaked': (entry) =>
    leaked(
      entry.target.kind === 'agent' ? `a token of the agent ${target(entry)}` : `the token ${target(entry)}`,
      entry,
    ),
  'access_token.created': (entry) =>
    entry.target.kind === 'user'
      ? `gave the user ${target(entry)} a new access token${endedByIt(entry)}`
      : `created the access token ${target(entry)}${narrowing(entry)}${expiryIn(entry.after)}`,
  'access_token.rotated': (entry) => `rotated the access token ${target(entry)}${handOverIn(entry.after)}`,
  'access_token.earlier_values_ended': (entry) =>
    `ended the earlier values of the access token ${target(entry)}`,
  'access_token.revoked': (entry) =>
    entry.target.kind === 'user'
      ? `revoked the access token of the user ${target(entry)}`
      : `revoked the access token ${target(entry)}${createdWithIt(entry)}`,
  'access_token.leaked': (entry) => leaked(`the access token ${target(entry)}`, entry),
  'sign_in_link.created': (entry) => `created a sign-in link for ${target(entry)}${expiryIn(entry.after)}`,
  'sign_in_link.leaked': (entry) => leaked(`a sign-in link of ${target(entry)}`, entry),
  'session.created': (entry) => `signed in with ${signIn(entry)}`,
  'session.revoked': ({ actor, target: { id } }) =>
    id !== null && id === actor.credentialID ? 'signed out' : 'ended a session',
  'session.leaked': (entry) => leaked('a session', entry),
  'user.created': (entry) => `created the user ${target(entry)}`,
  'user.updated': (entry) => `changed the user ${target(entry)}${changesIn(entry)}`,
  'user.removed': (entry) => `removed the user ${target(entry)}`,
  'member.added': (entry) => `added the member ${target(entry)} ${roleIn(entry.after)}`,
  'member.updated': (entry) =>
    `changed the role of the member ${target(entry)} from ${bareRole(entry.before)} to ${bareRole(entry.after)}`,
  'member.removed': (entry) => `removed the member ${target(entry)}${tokensOfMember(entry)}`,
  'invitation.created': (entry) => `invited ${invited(entry)} ${roleIn(entry.after)}${expiryIn(entry.after)}`,
  'invitation.accepted': () => 'accepted an invitation',
  'invitation.revoked': (entry) =>
    entry.after?.leaked === true ? leaked('an invitation', entry) : 'revoked an invitation',
  'agent.updated': (entry) => `changed ${fieldsOf(entry)}${agents(entry)}`,
  'agent.configuration_changed': (entry) => `changed the configuration of ${agents(entry)}`,
  'agent.released': (entry) => `let the machine of ${agents(entry)} register once without its token`,
  'agent.deleted': (entry) => `deleted ${agents(entry)}`,
  'agents.deleted': (entry) =>
    `deleted ${countOf(numberIn(entry.after, 'agentsCount'), 'agent')}${silence(entry)}${reasonIn(entry.after)}`,
  'fleet.created': (entry) =>
    `created the fleet ${target(entry)}${numberIn(entry.after, 'version') > 0 ? ` with version ${version(entry)}` : ''}`,
  'fleet.updated': (entry) => `changed the fleet ${target(entry)}${changesIn(entry)}`,
  'fleet.version_created': (entry) =>
    `created version ${version(entry)} of the fleet ${target(entry)}${note(entry)}`,
  'fleet.deleted': (entry) => `deleted the fleet ${target(entry)}`,
  'fleet.agents_moved': (entry) =>
    `moved ${countOf(numberIn(entry.after, 'agentsCount'), 'agent')} to the fleet ${target(entry)}${fleetsBefore(entry)}`,
  'fleet.variables_changed': (entry) => `changed ${values(entry, 'variable')}`,
  'fleet.secrets_changed': (entry) => `changed ${values(entry, 'secret')}`,
  'rollout.started': (entry) =>
    `started ${rollout(entry)} in ${countOf(numberIn(entry.after, 'stagesCount'), 'stage')}${reasonIn(entry.after)}${despite(entry)}`,
  'rollout.paused': (entry, withCommands) => `paused ${rollout(entry)}${verdict(entry, withCommands)}`,
  'rollout.resumed': (entry, withCommands) => `resumed ${rollout(entry)}${verdict(entry, withCommands)}`,
  'rollout.stopped': (entry, withCommands) => `stopped ${rollout(entry)}${verdict(entry, withCommands)}`,
  'rollout.reverted': (entry, withCommands) =>
    `finished taking back version ${version(entry)} of the fleet ${target(entry)}${verdict(entry, withCommands)}`,
  'rollout.waiting': (entry, withCommands) => `held ${rollout(entry)}${verdict(entry, withCommands)}`,
  'rollout.approved': (entry, withCommands) =>
    `approved the next stage of ${rollout(entry)}${verdict(entry, withCommands)}`,
  'rollout.promoted': (entry, withCommands) =>
    `began the next stage of ${rollout(entry)}${verdict(entry, withCommands)}`,
  'rollout.completed': (entry, withCommands) => `completed ${rollout(entry)}${verdict(entry, withCommands)}`,
  'core_instance.created': (entry) => `created the core instance ${target(entry)}${tags(entry)}`,
  'core_instance.updated': (entry) => `changed the core instance ${target(entry)}${changesIn(entry)}`,
  'core_instance.rotated': (entry) =>
    textIn(entry.after, 'by') === 'instanceKey'
      ? `gave the core instance ${target(entry)} a new token, because it joined again`
      : `rotated the token of the core instance ${target(entry)}${handOverIn(entry.after)}`,
  'core_instance.earlier_values_ended': (entry) =>
    `ended the earlier token of the core instance ${target(entry)}`,
  'core_instance.deleted': (entry) => `deleted the core instance ${target(entry)}`,
  'core_instance.leaked': (entry) => leaked(`the token of the core instance ${target(entry)}`, entry),
  'agent_error.dismissed': (entry) => `dismissed the error ${target(entry)}${reasonIn(entry.after)}`,
  'agent_error.reopened': (entry) => `reopened the error ${target(entry)}${dismissedFor(entry)}`,
  'agent_error_group.updated': (entry) => `changed ${causes(entry)}${changesIn(entry)}`,
  'agent_error_group.muted': (entry) =>
    `muted the cause ${target(entry)}${muteEnd(entry)}${reasonIn(entry.after)}`,
  'agent_error_group.unmuted': (entry) => `unmuted the cause ${target(entry)}`,
  'dismissal.created': (entry) => `dismissed ${dismissed(entry)}${reasonIn(entry.after)}`,
  'dismissal.finished': ({ after }) =>
    `finished a dismissal: ${countOf(numberIn(after, 'errorsCount'), 'error')} of ${countOf(numberIn(after, 'agentsCount'), 'agent')}`,
  'dismissal.undone': (entry) =>
    `began to undo ${entry.target.name === null ? 'a dismissal' : `the dismissal of the cause ${target(entry)}`}${reasonIn(entry.before)}`,
  'dismissal.undo_finished': ({ after }) =>
    `finished undoing a dismissal: reopened ${countOf(numberIn(after, 'reopenedCount'), 'error')}${stayed(after)}`,
  'alert_channel.created': (entry) => `created the alert channel ${target(entry)}${kindOf(entry)}`,
  'alert_channel.updated': updatedChannel,
  'alert_channel.deleted': (entry) => `deleted the alert channel ${target(entry)}`,
  'alert_rule.created': (entry) => `created the alert rule ${target(entry)}${kindOf(entry)}`,
  'alert_rule.updated': (entry) =>
    switched(entry) ?? `changed the alert rule ${target(entry)}${changesIn(entry)}`,
  'alert_rule.deleted': (entry) => `deleted the alert rule ${target(entry)}`,
  'provisioning.applied': () => 'applied a provisioning file',
  'request.denied': denied,
};

/** The same of those who did it to themselves, such as a member who left. */
export const ownSentences: Readonly<Partial<Record<AuditEntry['action'], Tell>>> = {
  'token.rotated': (entry) => `rotated itself${handOverIn(entry.after)}`,
  'core_instance.rotated': (entry) => `rotated its own token${handOverIn(entry.after)}`,
  'user.created': () => 'signed up',
  'member.added': (entry) => `became a member ${roleIn(entry.after)}`,
  'member.removed': (entry) => `left the project${tokensOfMember(entry)}`,
  'agent.configuration_changed': ({ target: { id } }) =>
    `changed ${id === null ? 'their' : 'its'} configuration`,
};

function updatedProject(entry: AuditEntry): string {
  const { before, after } = entry;
  const windows = after?.freezeWindows;
  if (Array.isArray(windows)) {
    const names = windows.flatMap((one) => textIn(one as Values, 'name') ?? []).map(quote); // of any form: only a text is read
    return windows.length === 0
      ? `removed the freeze windows of the project ${target(entry)}`
      : `set the freeze windows of the project ${target(entry)} to ${listOf(names)}`;
  }
  const [old, now] = [textIn(before, 'name'), textIn(after, 'name')];
  return old === undefined || now === undefined
    ? `changed the project ${target(entry)}`
    : `renamed the project ${quote(old)} to ${quote(now)}`;
}

function url({ after }: AuditEntry): string {
  return textIn(after, 'targetURL') ?? textIn(after, 'sourceURL') ?? 'another installation';
}

/** The beginning of a digest, with which one can tell keys from one another. */
const digestLength = 12;

function sealed({ after }: AuditEntry): string {
  const digest = textIn(after, 'publicKeyDigest');
  return digest === undefined
    ? ''
    : `, with its secrets encrypted for the key whose digest begins with ${digest.slice(0, digestLength)}`;
}

function limits({ after }: AuditEntry): string {
  const networks = textsIn(after, 'allowedNetworks');
  const rate = numberIn(after, 'reportsPerSecond');
  return `${networks.length === 0 ? '' : `, only from ${listOf(networks)}`}${rate === 0 ? '' : `, at most ${countOf(rate, 'report')} per second`}`;
}

/** The count includes the token itself. */
function createdWithIt({ after }: AuditEntry): string {
  const others = numberIn(after, 'tokensCount') - 1;
  return others < 1 ? '' : ` and ${countOf(others, 'token')} created with it`;
}

function endedByIt({ after }: AuditEntry): string {
  const ended = numberIn(after, 'revokedTokensCount');
  return ended === 0 ? '' : `, which ended ${ended === 1 ? 'the one before' : `${numberOf(ended)} before`}`;
}

function leaked(thing: string, { after }: AuditEntry): string {
  const place = textIn(after, 'source');
  const found = `found in public${place === undefined ? '' : ` (${quote(place)})`}`;
  const isEnded = after?.revoked === true || after?.leaked === true;
  if (!isEnded) return `learned that ${thing} was ${found}`;
  return textIn(after, 'value') === 'earlier'
    ? `ended an earlier value of ${thing}, which was ${found}`
    : `revoked ${thing}, which was ${found}`;
}

function narrowing({ after }: AuditEntry): string {
  const projects = textsIn(after, 'projects').length;
  const parts = [
    ...(textsIn(after, 'permissions').length > 0 ? [permissionsIn(after)] : []),
    ...(projects > 0 ? [countOf(projects, 'project')] : []),
  ];
  return parts.length === 0 ? '' : `, narrowed to ${parts.join(' in ')}`;
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

function bareRole(values: Values): string {
  return roleIn(values).replace(/^(as|with) /, '');
}

function tokensOfMember({ after }: AuditEntry): string {
  const revoked = numberIn(after, 'revokedTokensCount');
  const kept = numberIn(after, 'keptTokensCount');
  if (revoked > 0) return `, and revoked ${countOf(revoked, 'token')} of theirs`;
  return kept > 0 ? `; ${countOf(kept, 'token')} of theirs ${kept === 1 ? 'stays' : 'stay'} valid` : '';
}

function invited({ after }: AuditEntry): string {
  const email = textIn(after, 'email');
  return email === undefined ? 'somebody' : quote(email);
}

function agents(entry: AuditEntry): string {
  const count = numberIn(entry.after, 'agentsCount');
  if (count > 1) return countOf(count, 'agent');
  return entry.target.id === null ? 'several agents' : `the agent ${target(entry)}`;
}

/** Of many, what differs is not recorded. */
function fieldsOf({ after }: AuditEntry): string {
  const fields = textsIn(after, 'fields');
  return fields.length === 0 ? '' : `${listOf(fields)} of `;
}

function silence({ before, after }: AuditEntry): string {
  const filter = before?.filter as Values | undefined; // of any form: only texts are read
  const since = textIn(filter ?? null, 'notSeenSince');
  return since === undefined
    ? ''
    : ` that ${numberIn(after, 'agentsCount') === 1 ? 'was' : 'were'} not seen since ${pointInTime(since)}`;
}

function version({ after }: AuditEntry): string {
  return numberOf(numberIn(after, 'version'));
}

function note({ after }: AuditEntry): string {
  const text = textIn(after, 'note');
  return text === undefined ? '' : ` (note: ${quote(text)})`;
}

function fleetsBefore({ before }: AuditEntry): string {
  const names = textsIn(before, 'fleets');
  return names.length === 0 ? '' : ` from ${listOf(names.map(quote))}`;
}

/** `the variables 'a' and 'b' of the fleet 'edge' for agents with the tag 'eu'` */
function values(entry: AuditEntry, noun: string): string {
  const names = textsIn(entry.after, 'names').map(quote);
  const [tag, agent] = [textIn(entry.after, 'tag'), textIn(entry.after, 'agentID')];
  const whose =
    tag !== undefined
      ? ` for agents with the tag ${quote(tag)}`
      : agent !== undefined
        ? ` for the agent ${quote(agent)}` // recorded with its name
        : '';
  return `the ${noun}${names.length === 1 ? '' : 's'} ${listOf(names)} of the fleet ${target(entry)}${whose}${despite(entry)}`;
}

function despite({ after }: AuditEntry): string {
  const freeze = textIn(after, 'freeze');
  return freeze === undefined ? '' : `, despite the freeze ${quote(freeze)}`;
}

function rollout(entry: AuditEntry): string {
  return `the rollout of version ${version(entry)} of the fleet ${target(entry)}`;
}

/** A person gives a reason, and the service says what it saw. */
function verdict({ after }: AuditEntry, withCommands: (text: string) => string): string {
  const rule = textIn(after, 'rule');
  if (rule === undefined || rule === 'person') return reasonIn(after);
  const seen = describeVerdict({ verdict: after as Rollout['verdict'] }, undefined, pointInTime); // the service recorded it
  return seen === undefined ? '' : `: ${withCommands(seen)}`;
}

function tags({ after }: AuditEntry): string {
  const given = textsIn(after, 'tags').map(quote);
  return given.length === 0 ? '' : ` with the tag${given.length === 1 ? '' : 's'} ${listOf(given)}`;
}

function dismissedFor({ before }: AuditEntry): string {
  const reason = textIn(before, 'reason');
  return reason === undefined ? '' : `, which was dismissed (reason: ${quote(reason)})`;
}

function causes(entry: AuditEntry): string {
  const count = numberIn(entry.after, 'groupsCount');
  return count > 1 ? countOf(count, 'cause') : `the cause ${target(entry)}`;
}

function muteEnd({ after }: AuditEntry): string {
  const until = textIn(after, 'mutedUntil');
  const more = numberIn(after, 'moreAgents');
  return [
    until === undefined ? '' : ` until ${pointInTime(until)}`,
    more === 0 ? '' : `, or until ${countOf(more, 'more agent')} ${more === 1 ? 'has' : 'have'} it`,
    after?.endsWithConfiguration === true ? ', or until an agent has it with another configuration' : '',
  ].join('');
}

/** `errors with 'no upstream' in their text, of 3 agents` */
function dismissed(entry: AuditEntry): string {
  const filter = (entry.after?.filter ?? null) as Values; // of any form: only texts, lists and truth values are read
  const groups = textsIn(filter, 'groupIDs').length;
  const what =
    entry.target.name !== null
      ? `the cause ${target(entry)}`
      : groups > 0
        ? countOf(groups, 'cause')
        : filter?.all === true
          ? 'all open errors'
          : 'errors';
  const [error, part, before] = ['error', 'q', 'createdBefore'].map((name) => textIn(filter, name));
  const agentsCount = textsIn(filter, 'agentIDs').length;
  return [
    what,
    error === undefined ? '' : ` with the text ${quote(error)}`,
    part === undefined ? '' : ` with ${quote(part)} in their text`,
    agentsCount === 0 ? '' : ` of ${countOf(agentsCount, 'agent')}`,
    textIn(filter, 'fleetID') === undefined ? '' : ' of a fleet',
    typeof filter?.current !== 'boolean'
      ? ''
      : ` in ${filter.current ? 'present' : 'earlier'} configurations`,
    before === undefined ? '' : ` from before ${pointInTime(before)}`,
  ].join('');
}

function stayed(after: Values): string {
  const count = numberIn(after, 'equalOpenCount');
  return count === 0 ? '' : `; ${numberOf(count)} had come back already`;
}

function kindOf({ after }: AuditEntry): string {
  const [kind, where] = [textIn(after, 'kind'), textIn(after, 'target')];
  if (kind === undefined) return '';
  return ` (${kind.replaceAll('_', ' ')}${where === undefined ? '' : ` to ${where}`})`;
}

function updatedChannel(entry: AuditEntry): string {
  const { before, after } = entry;
  if (after?.isSecretChanged === true && before === null)
    return `rotated the secret of the alert channel ${target(entry)}${handOverIn(after)}`;
  return switched(entry) ?? `changed the alert channel ${target(entry)}${changesIn(entry)}`;
}

/** Undefined: more, or something else, was changed. */
function switched(entry: AuditEntry): string | undefined {
  const {
    before,
    after,
    target: { kind },
  } = entry;
  const others = Object.keys(after ?? {}).filter((name) => name !== 'enabled' && name !== 'reason');
  if (typeof after?.enabled !== 'boolean' || before?.enabled === after.enabled || others.length > 0)
    return undefined;
  return `${after.enabled ? 'enabled' : 'disabled'} the ${kind.replaceAll('_', ' ')} ${target(entry)}${reasonIn(after)}`;
}

function denied({ target: { kind, id }, after }: AuditEntry): string {
  const count = numberIn(after, 'count');
  const times = count > 1 ? ` ${numberOf(count)} times` : '';
  if (kind !== 'route' || id === null)
    return `left out ${countOf(count, 'more request')} that were denied${reasonIn(after)}`;
  const code = textIn(after, 'code') ?? 'permission_denied';
  const why = code === 'permission_denied' ? '' : `, because: ${code.replaceAll('_', ' ')}`;
  const summary = allRoutes.find(({ operationID }) => operationID === id)?.summary;
  return `was denied${times}${why}: ${summary === undefined ? id : `${summary.slice(0, 1).toLowerCase()}${summary.slice(1)}`}`;
}
