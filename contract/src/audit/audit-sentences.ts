import { countOf, numberOf } from '../count-of.ts';
import type { AuditAction, AuditEntry } from '../schemas/audit.ts';
import type { Rollout } from '../schemas/rollout.ts';
import { verdictSentence } from '../verdict-sentence.ts';
import {
  bareRole,
  changesIn,
  expiryIn,
  handOverIn,
  numberIn,
  permissionsIn,
  reasonIn,
  roleIn,
  target,
  textIn,
  textsIn,
  timeIn,
  type Values,
} from './entry-values.ts';
import { listOf, type Sentence, type SentencePart, say } from './sentence.ts';

type Tell = (entry: AuditEntry) => Sentence;

/** What somebody did, after their name. One sentence for each action of the audit log. */
export const auditSentences: Readonly<Record<AuditAction, Tell>> = {
  'project.created': (entry) => say`created the project ${target(entry)}`,
  'project.updated': updatedProject,
  'project.deleted': (entry) => say`deleted the project ${target(entry)}`,
  'project.departing': (entry) =>
    say`began to move the project ${target(entry)} to ${url(entry)}${sealed(entry)}`,
  'project.frozen': (entry) => say`froze the project ${target(entry)} to move it to ${url(entry)}`,
  'project.thawed': (entry) => say`ended the freeze of the project ${target(entry)}, which stays here`,
  'project.moved': (entry) => say`moved the project ${target(entry)} to ${url(entry)}`,
  'project.arriving': (entry) => say`began to take over the project ${target(entry)} from ${url(entry)}`,
  'project.arrived': (entry) => say`took over the project ${target(entry)} from ${url(entry)}`,
  'token.created': (entry) =>
    say`created the token ${target(entry)} with ${permissionsIn(entry.after)}${expiryIn(entry.after)}${limits(entry)}`,
  'token.updated': (entry) => say`changed the token ${target(entry)}${changesIn(entry)}`,
  'token.rotated': (entry) => say`rotated the token ${target(entry)}${handOverIn(entry.after)}`,
  'token.earlier_values_ended': (entry) => say`ended the earlier values of the token ${target(entry)}`,
  'token.revoked': (entry) =>
    say`revoked the token ${target(entry)}${createdWithIt(entry)}${entry.after?.revokeAgents === true && ', and the agents that registered with it'}${reasonIn(entry.after)}`,
  'token.leaked': (entry) =>
    leaked(
      entry,
      say`${entry.target.kind === 'agent' ? 'a token of the agent' : 'the token'} ${target(entry)}`,
    ),
  'access_token.created': (entry) =>
    entry.target.kind === 'user'
      ? say`gave the user ${target(entry)} a new access token${endedByIt(entry)}`
      : say`created the access token ${target(entry)}${narrowing(entry)}${expiryIn(entry.after)}`,
  'access_token.rotated': (entry) => say`rotated the access token ${target(entry)}${handOverIn(entry.after)}`,
  'access_token.earlier_values_ended': (entry) =>
    say`ended the earlier values of the access token ${target(entry)}`,
  'access_token.revoked': (entry) =>
    say`revoked the access token ${entry.target.kind === 'user' && 'of the user '}${target(entry)}${createdWithIt(entry)}`,
  'access_token.leaked': (entry) => leaked(entry, say`the access token ${target(entry)}`),
  'sign_in_link.created': (entry) => say`created a sign-in link for ${target(entry)}${expiryIn(entry.after)}`,
  'sign_in_link.leaked': (entry) => leaked(entry, say`a sign-in link of ${target(entry)}`),
  'session.created': (entry) => say`signed in with ${signIn(entry)}`,
  'session.revoked': ({ actor, target: { id } }) =>
    id !== null && id === actor.credentialID ? say`signed out` : say`ended a session`,
  'session.leaked': (entry) => leaked(entry, say`a session`),
  'user.created': (entry) => say`created the user ${target(entry)}`,
  'user.updated': (entry) => say`changed the user ${target(entry)}${changesIn(entry)}`,
  'user.removed': (entry) => say`removed the user ${target(entry)}`,
  'member.added': (entry) => say`added the member ${target(entry)} ${roleIn(entry.after)}`,
  'member.updated': (entry) =>
    say`changed the role of the member ${target(entry)} from ${bareRole(entry.before)} to ${bareRole(entry.after)}`,
  'member.removed': (entry) => say`removed the member ${target(entry)}${tokensOfMember(entry)}`,
  'invitation.created': (entry) =>
    say`invited ${invited(entry)} ${roleIn(entry.after)}${expiryIn(entry.after)}`,
  'invitation.accepted': () => say`accepted an invitation`,
  'invitation.revoked': (entry) =>
    entry.after?.leaked === true ? leaked(entry, say`an invitation`) : say`revoked an invitation`,
  'agent.updated': (entry) => say`changed ${fieldsOf(entry)}${agents(entry)}`,
  'agent.configuration_changed': (entry) => say`changed the configuration of ${agents(entry)}`,
  'agent.released': (entry) => say`let the machine of ${agents(entry)} register once without its token`,
  'agent.deleted': (entry) => say`deleted ${agents(entry)}`,
  'agents.deleted': (entry) => say`deleted ${numberOfAgents(entry)}${silence(entry)}${reasonIn(entry.after)}`,
  'fleet.created': (entry) =>
    say`created the fleet ${target(entry)}${numberIn(entry.after, 'version') > 0 && ` with ${version(entry)}`}`,
  'fleet.updated': (entry) => say`changed the fleet ${target(entry)}${changesIn(entry)}`,
  'fleet.version_created': (entry) =>
    say`created ${version(entry)} of the fleet ${target(entry)}${note(entry)}`,
  'fleet.deleted': (entry) => say`deleted the fleet ${target(entry)}`,
  'fleet.agents_moved': (entry) =>
    say`moved ${numberOfAgents(entry)} to the fleet ${target(entry)}${listIn(' from ', entry.before, 'fleets')}`,
  'fleet.variables_changed': (entry) => say`changed ${values(entry, 'variable')}`,
  'fleet.secrets_changed': (entry) => say`changed ${values(entry, 'secret')}`,
  'rollout.started': (entry) =>
    say`started ${rollout(entry)} in ${countOf(numberIn(entry.after, 'stagesCount'), 'stage')}${reasonIn(entry.after)}${despite(entry)}`,
  'rollout.paused': (entry) => say`paused ${rollout(entry)}${verdict(entry)}`,
  'rollout.resumed': (entry) => say`resumed ${rollout(entry)}${verdict(entry)}`,
  'rollout.stopped': (entry) => say`stopped ${rollout(entry)}${verdict(entry)}`,
  'rollout.reverted': (entry) =>
    say`finished taking back ${version(entry)} of the fleet ${target(entry)}${verdict(entry)}`,
  'rollout.waiting': (entry) => say`held ${rollout(entry)}${verdict(entry)}`,
  'rollout.approved': (entry) => say`approved the next stage of ${rollout(entry)}${verdict(entry)}`,
  'rollout.promoted': (entry) => say`began the next stage of ${rollout(entry)}${verdict(entry)}`,
  'rollout.completed': (entry) => say`completed ${rollout(entry)}${verdict(entry)}`,
  'core_instance.created': (entry) => say`created the core instance ${target(entry)}${tags(entry)}`,
  'core_instance.updated': (entry) => say`changed the core instance ${target(entry)}${changesIn(entry)}`,
  'core_instance.rotated': (entry) =>
    textIn(entry.after, 'by') === 'instanceKey'
      ? say`gave the core instance ${target(entry)} a new token, because it joined again`
      : say`rotated the token of the core instance ${target(entry)}${handOverIn(entry.after)}`,
  'core_instance.earlier_values_ended': (entry) =>
    say`ended the earlier token of the core instance ${target(entry)}`,
  'core_instance.deleted': (entry) => say`deleted the core instance ${target(entry)}`,
  'core_instance.leaked': (entry) => leaked(entry, say`the token of the core instance ${target(entry)}`),
  'agent_error.dismissed': (entry) => say`dismissed the error ${quoted(entry)}${reasonIn(entry.after)}`,
  'agent_error.reopened': (entry) =>
    say`reopened the error ${quoted(entry)}${textIn(entry.before, 'reason') && ', which was dismissed'}${reasonIn(entry.before)}`,
  'agent_error_group.updated': (entry) => say`changed ${causes(entry)}${changesIn(entry)}`,
  'agent_error_group.muted': (entry) =>
    say`muted the cause ${quoted(entry)}${muteEnd(entry)}${reasonIn(entry.after)}`,
  'agent_error_group.unmuted': (entry) => say`unmuted the cause ${quoted(entry)}`,
  'dismissal.created': (entry) => say`dismissed ${dismissed(entry)}${reasonIn(entry.after)}`,
  'dismissal.finished': (entry) =>
    say`finished a dismissal: ${countOf(numberIn(entry.after, 'errorsCount'), 'error')} of ${numberOfAgents(entry)}`,
  'dismissal.undone': (entry) =>
    say`began to undo ${entry.target.name === null ? 'a dismissal' : say`the dismissal of the cause ${quoted(entry)}`}${reasonIn(entry.before)}`,
  'dismissal.undo_finished': ({ after }) =>
    say`finished undoing a dismissal: reopened ${countOf(numberIn(after, 'reopenedCount'), 'error')}${stayed(after)}`,
  'alert_channel.created': (entry) => say`created the alert channel ${target(entry)}${kindOf(entry)}`,
  'alert_channel.updated': (entry) =>
    entry.after?.isSecretChanged === true && entry.before === null
      ? say`rotated the secret of the alert channel ${target(entry)}${handOverIn(entry.after)}`
      : (switched(entry) ?? say`changed the alert channel ${target(entry)}${changesIn(entry)}`),
  'alert_channel.deleted': (entry) => say`deleted the alert channel ${target(entry)}`,
  'alert_rule.created': (entry) => say`created the alert rule ${target(entry)}${kindOf(entry)}`,
  'alert_rule.updated': (entry) =>
    switched(entry) ?? say`changed the alert rule ${target(entry)}${changesIn(entry)}`,
  'alert_rule.deleted': (entry) => say`deleted the alert rule ${target(entry)}`,
  'provisioning.applied': () => say`applied a provisioning file`,
  'request.denied': denied,
};

/** The same of those who did it to themselves, such as a member who left. */
export const ownSentences: Readonly<Partial<Record<AuditAction, Tell>>> = {
  'token.rotated': (entry) => say`rotated itself${handOverIn(entry.after)}`,
  'core_instance.rotated': (entry) => say`rotated its own token${handOverIn(entry.after)}`,
  'user.created': () => say`signed up`,
  'member.added': (entry) => say`became a member ${roleIn(entry.after)}`,
  'member.removed': (entry) => say`left the project${tokensOfMember(entry)}`,
  'agent.configuration_changed': ({ target: { id } }) =>
    say`changed ${id === null ? 'their' : 'its'} configuration`,
};

/** An error or a cause is called by its text. */
function quoted(entry: AuditEntry): SentencePart {
  const { name } = entry.target;
  return name === null ? target(entry) : { quote: name };
}

function nameOf(name: string): SentencePart {
  return { name };
}

/** ` with the tags a and b`; undefined if there are none. */
function listIn(lead: string, values: Values, field: string): Sentence | undefined {
  const names = textsIn(values, field);
  return names.length === 0 ? undefined : say`${lead}${listOf(names.map(nameOf))}`;
}

function updatedProject(entry: AuditEntry): Sentence {
  const { before, after } = entry;
  const windows = after?.freezeWindows;
  if (Array.isArray(windows)) {
    const names = windows.flatMap((one) => textIn(one as Values, 'name') ?? []).map(nameOf); // of any form: only a text is read
    return windows.length === 0
      ? say`removed the freeze windows of the project ${target(entry)}`
      : say`set the freeze windows of the project ${target(entry)} to ${listOf(names)}`;
  }
  const [old, now] = [textIn(before, 'name'), textIn(after, 'name')];
  return old === undefined || now === undefined
    ? say`changed the project ${target(entry)}`
    : say`renamed the project ${{ name: old }} to ${{ name: now }}`;
}

function url({ after }: AuditEntry): SentencePart {
  const address = textIn(after, 'targetURL') ?? textIn(after, 'sourceURL');
  return address === undefined ? 'another installation' : { name: address };
}

/** The beginning of a digest, with which one can tell keys from one another. */
const digestLength = 12;

function sealed({ after }: AuditEntry): string | undefined {
  const digest = textIn(after, 'publicKeyDigest')?.slice(0, digestLength);
  return digest && `, with its secrets encrypted for the key whose digest begins with ${digest}`;
}

function limits({ after }: AuditEntry): Sentence {
  const networks = textsIn(after, 'allowedNetworks');
  const rate = numberIn(after, 'reportsPerSecond');
  return say`${networks.length > 0 && say`, only from ${listOf(networks)}`}${rate > 0 && `, at most ${countOf(rate, 'report')} per second`}`;
}

/** The count includes the token itself. */
function createdWithIt({ after }: AuditEntry): string | undefined {
  const others = numberIn(after, 'tokensCount') - 1;
  return others < 1 ? undefined : ` and ${countOf(others, 'token')} created with it`;
}

function endedByIt({ after }: AuditEntry): string | undefined {
  const ended = numberIn(after, 'revokedTokensCount');
  if (ended === 0) return undefined;
  return `, which ended ${ended === 1 ? 'the one before' : `${numberOf(ended)} before`}`;
}

function leaked({ after }: AuditEntry, thing: Sentence): Sentence {
  const source = textIn(after, 'source');
  const found = say`found in public${source !== undefined && say` (${{ quote: source }})`}`;
  const isEnded = after?.revoked === true || after?.leaked === true;
  if (!isEnded) return say`learned that ${thing} was ${found}`;
  return say`${textIn(after, 'value') === 'earlier' ? 'ended an earlier value of' : 'revoked'} ${thing}, which was ${found}`;
}

function narrowing({ after }: AuditEntry): Sentence | undefined {
  const projects = textsIn(after, 'projects').length;
  const isNarrowed = textsIn(after, 'permissions').length > 0;
  if (projects === 0 && !isNarrowed) return undefined;
  return say`, narrowed to ${isNarrowed && permissionsIn(after)}${isNarrowed && projects > 0 && ' in '}${projects > 0 && countOf(projects, 'project')}`;
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

function tokensOfMember({ after }: AuditEntry): string | undefined {
  const revoked = numberIn(after, 'revokedTokensCount');
  const kept = numberIn(after, 'keptTokensCount');
  if (revoked > 0) return `, and revoked ${countOf(revoked, 'token')} of theirs`;
  if (kept > 0) return `; ${countOf(kept, 'token')} of theirs ${kept === 1 ? 'stays' : 'stay'} valid`;
  return undefined;
}

function invited({ after }: AuditEntry): SentencePart {
  const email = textIn(after, 'email');
  return email === undefined ? 'somebody' : { name: email };
}

function numberOfAgents({ after }: AuditEntry): string {
  return countOf(numberIn(after, 'agentsCount'), 'agent');
}

function agents(entry: AuditEntry): Sentence {
  if (numberIn(entry.after, 'agentsCount') > 1) return [numberOfAgents(entry)];
  return entry.target.id === null ? say`several agents` : say`the agent ${target(entry)}`;
}

/** Of many, what differs is not recorded. */
function fieldsOf({ after }: AuditEntry): Sentence | undefined {
  const fields = textsIn(after, 'fields');
  return fields.length === 0 ? undefined : say`${listOf(fields)} of `;
}

function silence({ before, after }: AuditEntry): Sentence | undefined {
  const since = timeIn(before?.filter as Values | undefined, 'notSeenSince'); // of any form: only texts are read
  return since && say` that ${numberIn(after, 'agentsCount') === 1 ? 'was' : 'were'} not seen since ${since}`;
}

function version({ after }: AuditEntry): string {
  return `version ${numberOf(numberIn(after, 'version'))}`;
}

function note({ after }: AuditEntry): Sentence | undefined {
  const text = textIn(after, 'note');
  return text === undefined ? undefined : say` (note: ${{ quote: text }})`;
}

/** `the variables 'a' and 'b' of the fleet 'edge' for agents with the tag 'eu'` */
function values(entry: AuditEntry, noun: string): Sentence {
  const names = textsIn(entry.after, 'names').map(nameOf);
  const [tag, agent] = [textIn(entry.after, 'tag'), textIn(entry.after, 'agentID')];
  const whose =
    tag !== undefined
      ? say` for agents with the tag ${{ name: tag }}`
      : agent !== undefined && say` for the agent ${{ name: agent }}`; // recorded with its name
  return say`the ${noun}${names.length !== 1 && 's'} ${listOf(names)} of the fleet ${target(entry)}${whose}${despite(entry)}`;
}

function despite({ after }: AuditEntry): Sentence | undefined {
  const freeze = textIn(after, 'freeze');
  return freeze === undefined ? undefined : say`, despite the freeze ${{ name: freeze }}`;
}

function rollout(entry: AuditEntry): Sentence {
  return say`the rollout of ${version(entry)} of the fleet ${target(entry)}`;
}

/** A person gives a reason, and the service says what it saw. */
function verdict({ after }: AuditEntry): Sentence | undefined {
  const rule = textIn(after, 'rule');
  if (rule === undefined || rule === 'person') return reasonIn(after);
  const seen = verdictSentence(after as NonNullable<Rollout['verdict']>); // the service recorded it
  return seen && say`: ${seen}`;
}

function tags({ after }: AuditEntry): Sentence | undefined {
  return listIn(` with the tag${textsIn(after, 'tags').length === 1 ? '' : 's'} `, after, 'tags');
}

function causes(entry: AuditEntry): Sentence {
  const count = numberIn(entry.after, 'groupsCount');
  return count > 1 ? [countOf(count, 'cause')] : say`the cause ${quoted(entry)}`;
}

function muteEnd({ after }: AuditEntry): Sentence {
  const until = timeIn(after, 'mutedUntil');
  const more = numberIn(after, 'moreAgents');
  return [
    ...(until === undefined ? [] : say` until ${until}`),
    ...(more === 0 ? [] : [`, or until ${countOf(more, 'more agent')} ${more === 1 ? 'has' : 'have'} it`]),
    ...(after?.endsWithConfiguration === true
      ? [', or until an agent has it with another configuration']
      : []),
  ];
}

/** `errors with 'no upstream' in their text, of 3 agents` */
function dismissed(entry: AuditEntry): Sentence {
  const filter = (entry.after?.filter ?? null) as Values; // of any form: only texts, lists and truth values are read
  const groups = textsIn(filter, 'groupIDs').length;
  const what =
    entry.target.name !== null
      ? say`the cause ${quoted(entry)}`
      : groups > 0
        ? countOf(groups, 'cause')
        : filter?.all === true
          ? 'all open errors'
          : 'errors';
  const [error, part] = [textIn(filter, 'error'), textIn(filter, 'q')];
  const before = timeIn(filter, 'createdBefore');
  const agentsCount = textsIn(filter, 'agentIDs').length;
  return [
    ...say`${what}${error !== undefined && say` with the text ${{ quote: error }}`}`,
    ...say`${part !== undefined && say` with ${{ quote: part }} in their text`}`,
    ...say`${agentsCount > 0 && ` of ${countOf(agentsCount, 'agent')}`}`,
    ...say`${textIn(filter, 'fleetID') !== undefined && ' of a fleet'}`,
    ...say`${typeof filter?.current === 'boolean' && ` in ${filter.current ? 'present' : 'earlier'} configurations`}`,
    ...say`${before && say` from before ${before}`}`,
  ];
}

function stayed(after: Values): string | undefined {
  const count = numberIn(after, 'equalOpenCount');
  return count === 0 ? undefined : `; ${numberOf(count)} had come back already`;
}

function kindOf({ after }: AuditEntry): Sentence | undefined {
  const [kind, where] = [textIn(after, 'kind')?.replaceAll('_', ' '), textIn(after, 'target')];
  return kind === undefined
    ? undefined
    : say` (${kind}${where !== undefined && say` to ${{ name: where }}`})`;
}

/** Undefined: more, or something else, was changed. */
function switched(entry: AuditEntry): Sentence | undefined {
  const { before, after } = entry;
  const others = Object.keys(after ?? {}).filter((name) => name !== 'enabled' && name !== 'reason');
  if (typeof after?.enabled !== 'boolean' || before?.enabled === after.enabled || others.length > 0)
    return undefined;
  const noun = entry.target.kind.replaceAll('_', ' ');
  return say`${after.enabled ? 'enabled' : 'disabled'} the ${noun} ${target(entry)}${reasonIn(after)}`;
}

function denied({ target: { kind, id }, after }: AuditEntry): Sentence {
  const count = numberIn(after, 'count');
  if (kind !== 'route' || id === null)
    return say`left out ${countOf(count, 'more request')} that were denied${reasonIn(after)}`;
  const code = textIn(after, 'code') ?? 'permission_denied';
  const why = code !== 'permission_denied' && `, because: ${code.replaceAll('_', ' ')}`;
  // `deleteProject`: delete project
  const operation = id.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return say`was denied${count > 1 && ` ${numberOf(count)} times`}${why}: ${operation}`;
}
