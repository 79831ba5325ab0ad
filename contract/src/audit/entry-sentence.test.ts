import { describe, expect, it } from 'vitest';
import { type AuditAction, type AuditEntry, auditActions } from '../schemas/audit.ts';
import { entrySentence } from './entry-sentence.ts';
import type { SentencePart } from './sentence.ts';

/** Of who did it, and of what it was done to. A sentence contains neither. */
const id = '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d';
const other = '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2e';

function told(action: AuditAction, values: Partial<AuditEntry> = {}): string {
  const entry: AuditEntry = {
    id,
    sequence: 1,
    projectID: id,
    createdAt: '2026-01-01T00:00:00.000Z',
    action,
    actor: { kind: 'user', id, name: 'Ada', credentialID: null },
    address: null,
    requestID: null,
    target: { kind: 'token', id: other, name: 'ci' },
    before: null,
    after: null,
    previousDigest: '0'.repeat(64),
    digest: '1'.repeat(64),
    ...values,
  };
  return entrySentence(entry).map(mark).join('');
}

function mark(part: SentencePart): string {
  if (typeof part === 'string') return part;
  if ('name' in part) return `[${part.name}]`;
  if ('quote' in part) return `“${part.quote}”`;
  if ('time' in part) return `<${part.time.slice(0, 10)}>`;
  return ' {more}';
}

const to = (kind: AuditEntry['target']['kind'], name: string | null, targetID: string | null = other) => ({
  target: { kind, id: targetID, name },
});
const by = (kind: AuditEntry['actor']['kind'], name: string | null, actorID: string | null = id) => ({
  actor: { kind, id: kind === 'system' ? null : actorID, name, credentialID: null },
});
const service = by('system', null);
const firstUse = by('system', 'first use of a newer value');
const rollouts = by('system', 'rollouts');
const project = to('project', 'edge');
const laptop = to('access_token', 'laptop');
const session = to('session', null);
const grace = to('member', 'Grace');
const invitation = to('invitation', null);
const agent = to('agent', 'web-01');
const fleet = to('fleet', 'berlin');
const site = to('core_instance', 'plant');
const error = to('agent_error', 'no upstream');
const cause = to('agent_error_group', 'no upstream');
const dismissal = to('dismissal', null);
const channel = to('alert_channel', 'on-call');
const rule = to('alert_rule', 'Many');
const newYear = '2027-01-01T00:00:00.000Z';
const found = { source: null, revoked: true };
const step = { rolloutID: other, version: 3 };
const byPerson = { ...step, rule: 'person' };

/** Entries as the service records them, with their sentences: [a name], “a text”, <a time>, {what leads to more}. */
// biome-ignore format: a line for each entry
const sentences: readonly (readonly [AuditAction, Partial<AuditEntry>, string])[] = [
  ['project.created', { ...project, after: { name: 'edge' } }, '[Ada] created the project [edge]'],
  ['project.updated', { ...project, before: { name: 'a' }, after: { name: 'b' } }, '[Ada] renamed the project [a] to [b]'],
  ['project.updated', { ...project, before: { freezeWindows: [] }, after: { freezeWindows: [{ name: 'nights' }, { name: 'launch' }] } }, '[Ada] set the freeze windows of the project [edge] to [nights] and [launch]'],
  ['project.updated', { ...project, before: { freezeWindows: [{ name: 'nights' }] }, after: { freezeWindows: [] } }, '[Ada] removed the freeze windows of the project [edge]'],
  ['project.deleted', { ...project, before: { name: 'edge' } }, '[Ada] deleted the project [edge]'],
  ['project.departing', { ...project, after: { targetURL: 'https://b.example', publicKeyDigest: '0123456789abcdef' } }, '[Ada] began to move the project [edge] to [https://b.example], with its secrets encrypted for the key whose digest begins with 0123456789ab'],
  ['project.frozen', { ...project, after: { targetURL: 'https://b.example' } }, '[Ada] froze the project [edge] to move it to [https://b.example]'],
  ['project.thawed', { ...service, ...project }, 'The service ended the freeze of the project [edge], which stays here'],
  ['project.moved', { ...project, after: { targetURL: 'https://b.example' } }, '[Ada] moved the project [edge] to [https://b.example]'],
  ['project.arriving', { ...project, after: { sourceURL: 'https://a.example' } }, '[Ada] began to take over the project [edge] from [https://a.example]'],
  ['project.arrived', { ...project, after: { sourceURL: 'https://a.example' } }, '[Ada] took over the project [edge] from [https://a.example]'],
  ['token.created', { after: { permissions: ['create:agent', 'read:fleet'], expiresAt: newYear, allowedNetworks: ['10.0.0.0/8'], reportsPerSecond: 1, parentID: id } }, '[Ada] created the token [ci] with create:agent and read:fleet, valid until <2027-01-01>, only from 10.0.0.0/8, at most 1 report per second'],
  ['token.created', { ...by('system', 'MUSTER_PROVISION_FILE'), after: { permissions: [] } }, 'The file of MUSTER_PROVISION_FILE created the token [ci] with no permission'],
  ['token.updated', { before: { name: 'old', permissions: ['read:agent'], expiresAt: null, parentID: id }, after: { name: 'ci', permissions: ['*'], expiresAt: newYear, parentID: null } }, '[Ada] changed the token [ci]: the name from “old” to “ci”, the permissions from read:agent to all permissions, the expiry from none to <2027-01-01>, the token that it ends with from another to none'],
  ['token.rotated', { after: {} }, '[Ada] rotated the token [ci]; the earlier value ended at once'],
  ['token.rotated', { after: { graceSeconds: 86_400, retireOnUse: true } }, '[Ada] rotated the token [ci]; the earlier value ends after 1 day, or when the new one is first used'],
  ['token.rotated', { ...by('project_token', 'ci', other), after: { graceSeconds: 90 } }, 'The token [ci] rotated itself; the earlier value ends after 90 seconds'],
  ['token.earlier_values_ended', firstUse, 'The service ended the earlier values of the token [ci], because a newer one was used'],
  ['token.revoked', { after: { reason: 'found in public', revokeAgents: true, tokensCount: 3 } }, '[Ada] revoked the token [ci] and 2 tokens created with it, and the agents that registered with it (reason: “found in public”)'],
  ['token.revoked', { after: { reason: null, revokeAgents: false, tokensCount: 1 } }, '[Ada] revoked the token [ci]'],
  ['token.leaked', { ...by('system', 'report of a leak'), after: { ...found, source: 'https://git.example/x', value: 'current' } }, 'The service revoked the token [ci], which was found in public (“https://git.example/x”)'],
  ['token.leaked', { ...service, ...agent, after: { source: null, revoked: false } }, 'The service learned that a token of the agent [web-01] was found in public'],
  ['access_token.created', { ...laptop, after: { name: 'laptop', expiresAt: null, permissions: ['read:agent'], projects: [id, other] } }, '[Ada] created the access token [laptop], narrowed to read:agent in 2 projects'],
  ['access_token.created', { ...by('system', 'muster admin reset-token'), ...to('user', 'administrator'), after: { revokedTokensCount: 1 } }, 'Somebody with the command [muster admin reset-token] gave the user [administrator] a new access token, which ended the one before'],
  ['access_token.rotated', { ...laptop, after: { retireOnUse: true } }, '[Ada] rotated the access token [laptop]; the earlier value ends when the new one is first used'],
  ['access_token.earlier_values_ended', { ...firstUse, ...laptop }, 'The service ended the earlier values of the access token [laptop], because a newer one was used'],
  ['access_token.revoked', { ...laptop, after: { tokensCount: 2 } }, '[Ada] revoked the access token [laptop] and 1 token created with it'],
  ['access_token.leaked', { ...service, ...laptop, after: { ...found, value: 'earlier' } }, 'The service ended an earlier value of the access token [laptop], which was found in public'],
  ['sign_in_link.created', { ...to('sign_in_link', 'Grace'), after: { expiresAt: newYear } }, '[Ada] created a sign-in link for [Grace], valid until <2027-01-01>'],
  ['sign_in_link.leaked', { ...service, ...to('sign_in_link', 'Grace'), after: found }, 'The service revoked a sign-in link of [Grace], which was found in public'],
  ['session.created', { ...session, after: { method: 'sign_in_link', expiresAt: null } }, '[Ada] signed in with a sign-in link'],
  ['session.revoked', { actor: { ...by('user', 'Ada').actor, credentialID: other }, ...session }, '[Ada] signed out'],
  ['session.revoked', session, '[Ada] ended a session'],
  ['session.leaked', { ...service, ...session, after: found }, 'The service revoked a session, which was found in public'],
  ['user.created', { ...by('system', 'start of the service'), ...to('user', 'administrator') }, 'The service created the user [administrator] when it started'],
  ['user.created', { ...to('user', 'Ada', id), after: { name: 'Ada' } }, '[Ada] signed up'],
  ['user.updated', { ...by('system', 'identity provider'), ...to('user', 'Ada'), before: { claimValues: [] }, after: { claimValues: ['sre', 'dev'] } }, 'The identity provider changed the user [Ada]: the groups from none to “sre” and “dev”'],
  ['user.removed', to('user', 'Grace'), '[Ada] removed the user [Grace]'],
  ['member.added', { ...grace, after: { role: 'viewer', permissions: ['read:*'] } }, '[Ada] added the member [Grace] as viewer'],
  ['member.added', { ...to('member', 'Ada', id), after: { role: 'custom', permissions: ['read:agent'] } }, '[Ada] became a member with read:agent'],
  ['member.updated', { ...grace, before: { role: 'custom', permissions: ['read:agent', 'read:token'] }, after: { role: 'owner', permissions: ['*'] } }, '[Ada] changed the role of the member [Grace] from read:agent and read:token to owner'],
  ['member.removed', { ...grace, before: { role: 'viewer' }, after: { keptTokensCount: 1, revokedTokensCount: 0 } }, '[Ada] removed the member [Grace]; 1 token of theirs stays valid'],
  ['member.removed', { ...to('member', 'Ada', id), after: { keptTokensCount: 0, revokedTokensCount: 2 } }, '[Ada] left the project, and revoked 2 tokens of theirs'],
  ['invitation.created', { ...invitation, after: { role: 'operator', email: 'ada@example.com', expiresAt: newYear } }, '[Ada] invited [ada@example.com] as operator, valid until <2027-01-01>'],
  ['invitation.accepted', invitation, '[Ada] accepted an invitation'],
  ['invitation.revoked', invitation, '[Ada] revoked an invitation'],
  ['invitation.revoked', { ...service, ...invitation, after: { source: 'a log', leaked: true } }, 'The service revoked an invitation, which was found in public (“a log”)'],
  ['agent.updated', { ...agent, after: { fields: ['version', 'tags'], configID: null } }, '[Ada] changed version and tags of the agent [web-01]'],
  ['agent.configuration_changed', { ...by('agent', null, null), ...to('agent', null, null), after: { agentsCount: 1_300, agentIDs: [id, other], fields: ['rawConfig'], configID: null } }, '1,300 agents changed their configuration'],
  ['agent.configuration_changed', { ...by('agent', null), ...to('agent', 'web-01', id) }, 'The agent [web-01] changed its configuration'],
  ['agent.configuration_changed', { ...by('project_token', null, null), ...to('agent', null, null), after: { agentsCount: 13, agentIDs: [] } }, 'Several tokens changed the configuration of 13 agents'],
  ['agent.released', agent, '[Ada] let the machine of the agent [web-01] register once without its token'],
  ['agent.deleted', agent, '[Ada] deleted the agent [web-01]'],
  ['agents.deleted', { ...to('project', null), before: { filter: { notSeenSince: newYear } }, after: { agentsCount: 1, agentIDs: [id] } }, '[Ada] deleted 1 agent that was not seen since <2027-01-01>'],
  ['agents.deleted', { ...by('system', 'MUSTER_FORGET_AGENTS_DAYS'), ...to('project', null), after: { agentsCount: 2, agentIDs: [id, other], reason: 'not heard for 3 days' } }, 'The service deleted 2 agents (reason: “not heard for 3 days”), as MUSTER_FORGET_AGENTS_DAYS says'],
  ['fleet.created', { ...fleet, after: { name: 'berlin', tags: [], version: 1 } }, '[Ada] created the fleet [berlin] with version 1'],
  ['fleet.updated', { ...fleet, before: { version: 2, tags: [] }, after: { version: 3, tags: ['eu'] } }, '[Ada] changed the fleet [berlin]: the version from 2 to 3, the tags from none to “eu”'],
  ['fleet.version_created', { ...fleet, after: { version: 3, note: 'for Monday' } }, '[Ada] created version 3 of the fleet [berlin] (note: “for Monday”)'],
  ['fleet.deleted', { ...fleet, before: { name: 'berlin' } }, '[Ada] deleted the fleet [berlin]'],
  ['fleet.agents_moved', { ...fleet, before: { fleets: ['paris'] }, after: { agentsCount: 2, agentIDs: [id, other] } }, '[Ada] moved 2 agents to the fleet [berlin] from [paris]'],
  ['fleet.variables_changed', { ...fleet, after: { names: ['region', 'zone'], tag: 'eu' } }, '[Ada] changed the variables [region] and [zone] of the fleet [berlin] for agents with the tag [eu]'],
  ['fleet.secrets_changed', { ...fleet, after: { names: ['key'], agentID: 'web-01', freeze: 'nights' } }, '[Ada] changed the secret [key] of the fleet [berlin] for the agent [web-01], despite the freeze [nights]'],
  ['rollout.started', { ...fleet, after: { ...step, stagesCount: 2, reason: 'new parser' } }, '[Ada] started the rollout of version 3 of the fleet [berlin] in 2 stages (reason: “new parser”)'],
  ['rollout.paused', { ...fleet, before: { stage: 1, state: 'running' }, after: { ...byPerson, reason: 'to look' } }, '[Ada] paused the rollout of version 3 of the fleet [berlin] (reason: “to look”)'],
  ['rollout.resumed', { ...fleet, after: byPerson }, '[Ada] resumed the rollout of version 3 of the fleet [berlin]'],
  ['rollout.stopped', { ...rollouts, ...fleet, after: { ...step, rule: 'new_cause', agents: 2, of: 20, groupID: id } }, 'The service stopped the rollout of version 3 of the fleet [berlin]: 2 of 20 agents with the version report a cause that the others do not {more}'],
  ['rollout.reverted', { ...rollouts, ...fleet, after: step }, 'The service finished taking back version 3 of the fleet [berlin]'],
  ['rollout.waiting', { ...rollouts, ...fleet, after: { ...step, rule: 'freeze', stage: 2, freeze: 'nights', until: newYear } }, 'The service held the rollout of version 3 of the fleet [berlin]: stage 2 begins when the freeze [nights] ends (<2027-01-01>)'],
  ['rollout.approved', { ...fleet, after: { ...byPerson, reason: 'looks good' } }, '[Ada] approved the next stage of the rollout of version 3 of the fleet [berlin] (reason: “looks good”)'],
  ['rollout.promoted', { ...fleet, after: byPerson }, '[Ada] began the next stage of the rollout of version 3 of the fleet [berlin]'],
  ['rollout.completed', { ...rollouts, ...fleet, after: step }, 'The service completed the rollout of version 3 of the fleet [berlin]'],
  ['core_instance.created', { ...site, after: { name: 'plant', tags: ['eu'] } }, '[Ada] created the core instance [plant] with the tag [eu]'],
  ['core_instance.updated', { ...site, before: { tags: ['eu'] }, after: { tags: [] } }, '[Ada] changed the core instance [plant]: the tags from “eu” to none'],
  ['core_instance.rotated', { ...by('core_instance', 'plant', other), ...site, after: { graceSeconds: 86_400 } }, 'The core instance [plant] rotated its own token; the earlier value ends after 1 day'],
  ['core_instance.rotated', { ...by('project_token', 'sites'), ...site, after: { by: 'instanceKey', graceSeconds: 0 } }, 'The token [sites] gave the core instance [plant] a new token, because it joined again'],
  ['core_instance.earlier_values_ended', { ...firstUse, ...site }, 'The service ended the earlier token of the core instance [plant], because a newer one was used'],
  ['core_instance.deleted', { ...site, before: { name: 'plant', tags: [] } }, '[Ada] deleted the core instance [plant]'],
  ['core_instance.leaked', { ...service, ...site, after: { ...found, value: 'current' } }, 'The service revoked the token of the core instance [plant], which was found in public'],
  ['agent_error.dismissed', { ...error, after: { reason: 'seen' } }, '[Ada] dismissed the error “no upstream” (reason: “seen”)'],
  ['agent_error.reopened', { ...error, before: { reason: 'seen' } }, '[Ada] reopened the error “no upstream”, which was dismissed (reason: “seen”)'],
  ['agent_error_group.updated', { ...cause, before: { assigneeID: null, assignee: null, note: 'known' }, after: { assigneeID: id, assignee: 'Grace', note: null } }, '[Ada] changed the cause “no upstream”: the assignee from none to “Grace”, the note from “known” to none'],
  ['agent_error_group.updated', { ...to('agent_error_group', null, null), after: { groupsCount: 2, note: 'known' } }, '[Ada] changed 2 causes: the note to “known”'],
  ['agent_error_group.muted', { ...cause, before: { mutedUntil: null, reason: null }, after: { mutedUntil: newYear, reason: 'known', moreAgents: 1, endsWithConfiguration: true } }, '[Ada] muted the cause “no upstream” until <2027-01-01>, or until 1 more agent has it, or until an agent has it with another configuration (reason: “known”)'],
  ['agent_error_group.unmuted', { ...by('system', 'it is on as many agents as the mute allowed'), ...cause }, 'The service unmuted the cause “no upstream”, because it is on as many agents as the mute allowed'],
  ['dismissal.created', { ...dismissal, after: { reason: 'seen', filter: { q: 'upstream', agentIDs: [id, other], current: true, createdBefore: newYear } } }, '[Ada] dismissed errors with “upstream” in their text of 2 agents in present configurations from before <2027-01-01> (reason: “seen”)'],
  ['dismissal.created', { ...to('dismissal', 'no upstream'), after: { reason: 'seen', filter: { groupIDs: [id], current: true } } }, '[Ada] dismissed the cause “no upstream” in present configurations (reason: “seen”)'],
  ['dismissal.created', { ...dismissal, after: { reason: 'seen', filter: { groupIDs: [id, other] } } }, '[Ada] dismissed 2 causes (reason: “seen”)'],
  ['dismissal.finished', { ...service, ...dismissal, after: { errorsCount: 3, agentsCount: 1 } }, 'The service finished a dismissal: 3 errors of 1 agent'],
  ['dismissal.undone', { ...dismissal, before: { reason: 'seen' } }, '[Ada] began to undo a dismissal (reason: “seen”)'],
  ['dismissal.undo_finished', { ...service, ...dismissal, after: { reopenedCount: 1, equalOpenCount: 2 } }, 'The service finished undoing a dismissal: reopened 1 error; 2 had come back already'],
  ['alert_channel.created', { ...channel, after: { name: 'on-call', kind: 'webhook', target: 'https://hooks.example', quietHours: null } }, '[Ada] created the alert channel [on-call] (webhook to [https://hooks.example])'],
  ['alert_channel.updated', { ...channel, before: { quietHours: null }, after: { quietHours: { from: '22:00', until: '06:00', timeZone: 'Europe/Berlin' }, isSecretChanged: true } }, '[Ada] changed the alert channel [on-call]: the quiet hours from none to 22:00-06:00 Europe/Berlin, the secret'],
  ['alert_channel.updated', { ...channel, after: { isSecretChanged: true, graceSeconds: 86_400 } }, '[Ada] rotated the secret of the alert channel [on-call]; the earlier value ends after 1 day'],
  ['alert_channel.updated', { ...service, ...channel, before: { enabled: true }, after: { enabled: false, reason: 'every attempt had failed' } }, 'The service disabled the alert channel [on-call] (reason: “every attempt had failed”)'],
  ['alert_channel.deleted', channel, '[Ada] deleted the alert channel [on-call]'],
  ['alert_rule.created', { ...rule, after: { name: 'Many', kind: 'widespread_group', agents: 10 } }, '[Ada] created the alert rule [Many] (widespread group)'],
  ['alert_rule.updated', { ...rule, before: { channelIDs: null, cooldownSeconds: 3_600 }, after: { channelIDs: [id], cooldownSeconds: 0 } }, '[Ada] changed the alert rule [Many]: the channels from all to 1 channel, the pause between messages from 1 hour to 0 seconds'],
  ['alert_rule.updated', { ...rule, before: { enabled: false }, after: { enabled: true } }, '[Ada] enabled the alert rule [Many]'],
  ['alert_rule.deleted', rule, '[Ada] deleted the alert rule [Many]'],
  ['provisioning.applied', {}, '[Ada] applied a provisioning file'],
  ['request.denied', { ...to('route', null, 'deleteProject'), after: { count: 12, code: 'permission_denied', firstAt: 'x', lastAt: 'y' } }, '[Ada] was denied 12 times: delete project'],
  ['request.denied', { ...service, ...to('installation', null, null), after: { count: 3, reason: 'too many' } }, 'The service left out 3 more requests that were denied (reason: “too many”)'],
];

describe('the sentence of an entry of the audit log', () => {
  it('is tried for every action', () => {
    expect(new Set(sentences.map(([action]) => action))).toEqual(new Set(auditActions));
  });

  it.each(sentences)('of %s with %j', (action, values, sentence) => {
    expect(told(action, values)).toBe(sentence);
    expect(sentence).not.toContain(id);
  });

  it.each(auditActions)(
    'is whole for %s without a name, without values and with values of other kinds',
    (action) => {
      for (const values of [
        {},
        to('token', null, null),
        {
          before: { name: 1, role: [], fields: 'x', filter: 'x' },
          after: { name: null, permissions: 'x', agentsCount: '3', filter: null, freezeWindows: [1] },
        },
      ])
        expect(told(action, values)).not.toMatch(/undefined|null|\[object|NaN| {2}/);
    },
  );

  it('names an action that this version does not know', () => {
    const ofNewerService = 'token.melted' as AuditAction;
    expect(told(ofNewerService)).toBe('[Ada] did something that this version does not know: “token.melted”');
  });

  it('takes nothing for a time that is none', () => {
    expect(told('sign_in_link.created', { after: { expiresAt: '2027-99-01T00:00:00.000Z' } })).toMatch(
      /valid until 2027-99-01T00:00:00.000Z$/,
    );
  });
});
