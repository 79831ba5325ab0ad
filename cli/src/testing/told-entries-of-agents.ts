import { actor, id, other, service, type ToldEntry, target } from './told-entry.ts';

const ofRollout = { rolloutID: other, version: 3 };
const fleet = target('fleet', 'berlin');
const site = target('core_instance', 'plant');
const cause = target('agent_error_group', 'no upstream');
const channel = target('alert_channel', 'on-call');
const rule = target('alert_rule', 'Many agents');

/** Of agents, fleets, sites, errors and alerts. */
export const toldEntriesOfAgents: readonly ToldEntry[] = [
  [
    "Ada changed version and tags of the agent 'web-01'",
    'agent.updated',
    { target: target('agent', 'web-01'), after: { fields: ['version', 'tags'], configID: null } },
  ],
  [
    '13 agents changed their configuration',
    'agent.configuration_changed',
    {
      actor: actor('agent', null, null),
      target: { kind: 'agent', id: null, name: null },
      after: { agentsCount: 13, agentIDs: [id, other], fields: ['rawConfig'], configID: null },
    },
  ],
  [
    "The agent 'web-01' changed its configuration",
    'agent.configuration_changed',
    { actor: actor('agent', null), target: { kind: 'agent', id, name: 'web-01' } },
  ],
  [
    'Several tokens changed the configuration of 13 agents',
    'agent.configuration_changed',
    {
      actor: actor('project_token', null, null),
      target: { kind: 'agent', id: null, name: null },
      after: { agentsCount: 13, agentIDs: [] },
    },
  ],
  [
    "Ada let the machine of the agent 'web-01' register once without its token",
    'agent.released',
    { target: target('agent', 'web-01') },
  ],
  ["Ada deleted the agent 'web-01'", 'agent.deleted', { target: target('agent', 'web-01') }],
  [
    'Ada deleted 1 agent that was not seen since 2025-12-01 00:00 UTC',
    'agents.deleted',
    {
      target: target('project', null),
      before: { filter: { notSeenSince: '2025-12-01T00:00:00.000Z' } },
      after: { agentsCount: 1, agentIDs: [id] },
    },
  ],
  [
    "The service deleted 2 agents (reason: 'not heard for 3 days'), as MUSTER_FORGET_AGENTS_DAYS says",
    'agents.deleted',
    {
      actor: actor('system', 'MUSTER_FORGET_AGENTS_DAYS'),
      target: target('project', null),
      after: { agentsCount: 2, agentIDs: [id, other], reason: 'not heard for 3 days' },
    },
  ],
  [
    "Ada created the fleet 'berlin' with version 1",
    'fleet.created',
    { target: fleet, after: { name: 'berlin', tags: [], version: 1 } },
  ],
  [
    "Ada changed the fleet 'berlin': the version from 2 to 3, the tags from none to 'eu'",
    'fleet.updated',
    { target: fleet, before: { version: 2, tags: [] }, after: { version: 3, tags: ['eu'] } },
  ],
  [
    "Ada created version 3 of the fleet 'berlin' (note: 'for Monday')",
    'fleet.version_created',
    { target: fleet, after: { version: 3, note: 'for Monday' } },
  ],
  ["Ada deleted the fleet 'berlin'", 'fleet.deleted', { target: fleet, before: { name: 'berlin' } }],
  [
    "Ada moved 2 agents to the fleet 'berlin' from 'paris'",
    'fleet.agents_moved',
    { target: fleet, before: { fleets: ['paris'] }, after: { agentsCount: 2, agentIDs: [id, other] } },
  ],
  [
    "Ada changed the variables 'region' and 'zone' of the fleet 'berlin' for agents with the tag 'eu'",
    'fleet.variables_changed',
    { target: fleet, after: { names: ['region', 'zone'], tag: 'eu' } },
  ],
  [
    "Ada changed the secret 'key' of the fleet 'berlin' for the agent 'web-01', despite the freeze 'nights'",
    'fleet.secrets_changed',
    { target: fleet, after: { names: ['key'], agentID: 'web-01', freeze: 'nights' } },
  ],
  [
    "Ada started the rollout of version 3 of the fleet 'berlin' in 2 stages (reason: 'new parser')",
    'rollout.started',
    { target: fleet, after: { ...ofRollout, stagesCount: 2, reason: 'new parser' } },
  ],
  [
    "Ada paused the rollout of version 3 of the fleet 'berlin' (reason: 'to look')",
    'rollout.paused',
    {
      target: fleet,
      before: { stage: 1, state: 'running' },
      after: { ...ofRollout, rule: 'person', reason: 'to look' },
    },
  ],
  [
    "Ada resumed the rollout of version 3 of the fleet 'berlin'",
    'rollout.resumed',
    { target: fleet, after: { ...ofRollout, rule: 'person' } },
  ],
  [
    "The service stopped the rollout of version 3 of the fleet 'berlin': 2 of 20 agents with the version report a cause that the others do not: muster error get 8a6b4c2d",
    'rollout.stopped',
    {
      actor: actor('system', 'rollouts'),
      target: fleet,
      after: { ...ofRollout, rule: 'new_cause', agents: 2, of: 20, groupID: id },
    },
  ],
  [
    "The service finished taking back version 3 of the fleet 'berlin'",
    'rollout.reverted',
    { actor: actor('system', 'rollouts'), target: fleet, after: ofRollout },
  ],
  [
    "The service held the rollout of version 3 of the fleet 'berlin': stage 2 begins when the freeze 'nights' ends (2026-01-02 08:00 UTC)",
    'rollout.waiting',
    {
      actor: actor('system', 'rollouts'),
      target: fleet,
      after: {
        ...ofRollout,
        rule: 'freeze',
        stage: 2,
        freeze: 'nights',
        until: '2026-01-02T08:00:00.000Z',
      },
    },
  ],
  [
    "Ada approved the next stage of the rollout of version 3 of the fleet 'berlin' (reason: 'looks good')",
    'rollout.approved',
    { target: fleet, after: { ...ofRollout, rule: 'person', reason: 'looks good' } },
  ],
  [
    "Ada began the next stage of the rollout of version 3 of the fleet 'berlin'",
    'rollout.promoted',
    { target: fleet, after: { ...ofRollout, rule: 'person' } },
  ],
  [
    "The service completed the rollout of version 3 of the fleet 'berlin'",
    'rollout.completed',
    { actor: actor('system', 'rollouts'), target: fleet, after: ofRollout },
  ],
  [
    "Ada created the core instance 'plant' with the tag 'eu'",
    'core_instance.created',
    { target: site, after: { name: 'plant', tags: ['eu'] } },
  ],
  [
    "Ada changed the core instance 'plant': the tags from 'eu' to none",
    'core_instance.updated',
    { target: site, before: { tags: ['eu'] }, after: { tags: [] } },
  ],
  [
    "The core instance 'plant' rotated its own token; the earlier value ends after 1 day",
    'core_instance.rotated',
    { actor: actor('core_instance', 'plant', other), target: site, after: { graceSeconds: 86_400 } },
  ],
  [
    "The token 'sites' gave the core instance 'plant' a new token, because it joined again",
    'core_instance.rotated',
    {
      actor: actor('project_token', 'sites'),
      target: site,
      after: { by: 'instanceKey', graceSeconds: 0 },
    },
  ],
  [
    "The service ended the earlier token of the core instance 'plant', because a newer one was used",
    'core_instance.earlier_values_ended',
    { actor: actor('system', 'first use of a newer value'), target: site },
  ],
  [
    "Ada deleted the core instance 'plant'",
    'core_instance.deleted',
    { target: site, before: { name: 'plant', tags: [] } },
  ],
  [
    "The service revoked the token of the core instance 'plant', which was found in public",
    'core_instance.leaked',
    { ...service, target: site, after: { source: null, value: 'current', revoked: true } },
  ],
  [
    "Ada dismissed the error 'no upstream' (reason: 'seen')",
    'agent_error.dismissed',
    { target: target('agent_error', 'no upstream'), after: { reason: 'seen' } },
  ],
  [
    "Ada reopened the error 'no upstream', which was dismissed (reason: 'seen')",
    'agent_error.reopened',
    { target: target('agent_error', 'no upstream'), before: { reason: 'seen' } },
  ],
  [
    "Ada changed the cause 'no upstream': the assignee from none to 'Grace', the note from 'known' to none",
    'agent_error_group.updated',
    {
      target: cause,
      before: { assigneeID: null, assignee: null, note: 'known' },
      after: { assigneeID: id, assignee: 'Grace', note: null },
    },
  ],
  [
    "Ada changed 2 causes: the note to 'known'",
    'agent_error_group.updated',
    {
      target: { kind: 'agent_error_group', id: null, name: null },
      after: { groupsCount: 2, note: 'known' },
    },
  ],
  [
    "Ada muted the cause 'no upstream' until 2027-01-01 00:00 UTC, or until 1 more agent has it, or until an agent has it with another configuration (reason: 'known')",
    'agent_error_group.muted',
    {
      target: cause,
      before: { mutedUntil: null, reason: null },
      after: {
        mutedUntil: '2027-01-01T00:00:00.000Z',
        reason: 'known',
        moreAgents: 1,
        endsWithConfiguration: true,
      },
    },
  ],
  [
    "The service unmuted the cause 'no upstream', because it is on as many agents as the mute allowed",
    'agent_error_group.unmuted',
    { actor: actor('system', 'it is on as many agents as the mute allowed'), target: cause },
  ],
  [
    "Ada dismissed errors with 'upstream' in their text of 2 agents in present configurations from before 2026-01-01 00:00 UTC (reason: 'seen')",
    'dismissal.created',
    {
      target: target('dismissal', null),
      after: {
        reason: 'seen',
        filter: {
          q: 'upstream',
          agentIDs: [id, other],
          current: true,
          createdBefore: '2026-01-01T00:00:00.000Z',
        },
      },
    },
  ],
  [
    "Ada dismissed the cause 'no upstream' in present configurations (reason: 'seen')",
    'dismissal.created',
    {
      target: target('dismissal', 'no upstream'),
      after: { reason: 'seen', filter: { groupIDs: [id], current: true } },
    },
  ],
  [
    "Ada dismissed 2 causes (reason: 'seen')",
    'dismissal.created',
    { target: target('dismissal', null), after: { reason: 'seen', filter: { groupIDs: [id, other] } } },
  ],
  [
    'The service finished a dismissal: 3 errors of 1 agent',
    'dismissal.finished',
    { ...service, target: target('dismissal', null), after: { errorsCount: 3, agentsCount: 1 } },
  ],
  [
    "Ada began to undo a dismissal (reason: 'seen')",
    'dismissal.undone',
    { target: target('dismissal', null), before: { reason: 'seen' } },
  ],
  [
    'The service finished undoing a dismissal: reopened 1 error; 2 had come back already',
    'dismissal.undo_finished',
    { ...service, target: target('dismissal', null), after: { reopenedCount: 1, equalOpenCount: 2 } },
  ],
  [
    "Ada created the alert channel 'on-call' (webhook to https://hooks.example)",
    'alert_channel.created',
    {
      target: channel,
      after: { name: 'on-call', kind: 'webhook', target: 'https://hooks.example', quietHours: null },
    },
  ],
  [
    "Ada changed the alert channel 'on-call': the quiet hours from none to 22:00-06:00 Europe/Berlin, the secret",
    'alert_channel.updated',
    {
      target: channel,
      before: { quietHours: null },
      after: {
        quietHours: { from: '22:00', until: '06:00', timeZone: 'Europe/Berlin' },
        isSecretChanged: true,
      },
    },
  ],
  [
    "Ada rotated the secret of the alert channel 'on-call'; the earlier value ends after 1 day",
    'alert_channel.updated',
    { target: channel, after: { isSecretChanged: true, graceSeconds: 86_400 } },
  ],
  [
    "The service disabled the alert channel 'on-call' (reason: 'every attempt had failed')",
    'alert_channel.updated',
    {
      ...service,
      target: channel,
      before: { enabled: true },
      after: { enabled: false, reason: 'every attempt had failed' },
    },
  ],
  ["Ada deleted the alert channel 'on-call'", 'alert_channel.deleted', { target: channel }],
  [
    "Ada created the alert rule 'Many agents' (widespread group)",
    'alert_rule.created',
    { target: rule, after: { name: 'Many agents', kind: 'widespread_group', agents: 10 } },
  ],
  [
    "Ada changed the alert rule 'Many agents': the channels from all to 1 channel, the pause between messages from 1 hour to 0 seconds",
    'alert_rule.updated',
    {
      target: rule,
      before: { channelIDs: null, cooldownSeconds: 3_600 },
      after: { channelIDs: [id], cooldownSeconds: 0 },
    },
  ],
  [
    "Ada enabled the alert rule 'Many agents'",
    'alert_rule.updated',
    { target: rule, before: { enabled: false }, after: { enabled: true } },
  ],
  ["Ada deleted the alert rule 'Many agents'", 'alert_rule.deleted', { target: rule }],
  ['Ada applied a provisioning file', 'provisioning.applied', {}],
];
