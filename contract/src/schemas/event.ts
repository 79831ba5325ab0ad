import { type Static, Type } from 'typebox';
import { agentStatuses } from '../agent-statuses.ts';
import type { Permission } from '../permissions.ts';
import { roles } from '../roles.ts';
import { ID, Nullable, OneOf, Timestamp, TimestampOf } from './common.ts';

/** Types of events, and the permission that a listener needs for each. */
export const eventPermissions = {
  'agent_error.created': 'read:agent_error',
  'agent_error.dismissed': 'read:agent_error',
  'agent_error.reopened': 'read:agent_error',
  'agent_error_group.new': 'read:agent_error',
  'agent_error_group.regressed': 'read:agent_error',
  'agent_error_group.muted': 'read:agent_error',
  'agent.registered': 'read:agent',
  'agent.configuration_changed': 'read:agent',
  'agent.status_changed': 'read:agent',
  'agent.deleted': 'read:agent',
  'core_instance.created': 'read:core_instance',
  'core_instance.updated': 'read:core_instance',
  'core_instance.rotated': 'read:core_instance',
  'core_instance.leaked': 'read:core_instance',
  'core_instance.deleted': 'read:core_instance',
  'core_instance.unreachable': 'read:core_instance',
  'core_instance.reachable': 'read:core_instance',
  'fleet.created': 'read:fleet',
  'fleet.updated': 'read:fleet',
  'fleet.version_created': 'read:fleet',
  'fleet.version_published': 'read:fleet',
  'fleet.agents_moved': 'read:fleet',
  'fleet.variables_changed': 'read:fleet',
  'fleet.secrets_changed': 'read:fleet',
  'fleet.deleted': 'read:fleet',
  'rollout.started': 'read:fleet',
  'rollout.paused': 'read:fleet',
  'rollout.resumed': 'read:fleet',
  'rollout.stopped': 'read:fleet',
  'rollout.reverted': 'read:fleet',
  'rollout.waiting': 'read:fleet',
  'rollout.approved': 'read:fleet',
  'rollout.promoted': 'read:fleet',
  'rollout.completed': 'read:fleet',
  'dismissal.created': 'read:agent_error',
  'dismissal.finished': 'read:agent_error',
  'dismissal.undone': 'read:agent_error',
  'token.created': 'read:token',
  'token.updated': 'read:token',
  'token.rotated': 'read:token',
  'token.revoked': 'read:token',
  'token.leaked': 'read:token',
  'member.added': 'read:member',
  'member.updated': 'read:member',
  'member.removed': 'read:member',
  'project.updated': 'read:project',
  'alert_channel.created': 'read:webhook',
  'alert_channel.updated': 'read:webhook',
  'alert_channel.deleted': 'read:webhook',
  'alert_rule.created': 'read:webhook',
  'alert_rule.updated': 'read:webhook',
  'alert_rule.deleted': 'read:webhook',
} as const satisfies Readonly<Record<string, Permission>>;

export type EventType = keyof typeof eventPermissions;

export const eventTypes = Object.keys(eventPermissions) as readonly EventType[]; // keys of a literal object

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(eventPermissions, text);
}

const at = TimestampOf('When the service noted it, which may be a moment after it happened.');

export const AgentErrorsEvent = Type.Object(
  {
    type: OneOf(['agent_error.created', 'agent_error.dismissed', 'agent_error.reopened']),
    at,
    groupID: Type.String({ format: 'uuid', description: 'The group of the errors: UUIDv8, lower case.' }),
    count: Type.Integer({ minimum: 1, description: 'How many errors of the group.' }),
    newestErrorID: Type.Optional(
      Nullable(
        Type.String({
          format: 'uuid',
          description: 'Of created errors, the newest one; null if it has been removed since.',
        }),
      ),
    ),
  },
  {
    description:
      'Errors of one group were created, dismissed or reopened. Created errors of a group are told of in one event per second.',
  },
);
export type AgentErrorsEvent = Static<typeof AgentErrorsEvent>;

export const AgentErrorGroupEvent = Type.Object(
  {
    type: OneOf(['agent_error_group.new', 'agent_error_group.regressed', 'agent_error_group.muted']),
    at,
    groupID: Type.String({ format: 'uuid', description: 'UUIDv8, lower case.' }),
    pattern: Type.String({ description: 'What the errors of the group have in common.' }),
  },
  {
    description:
      'A group of errors has its first error, has an error again that was dismissed, or was muted.',
  },
);
export type AgentErrorGroupEvent = Static<typeof AgentErrorGroupEvent>;

export const AgentEvent = Type.Object(
  {
    type: OneOf(['agent.registered', 'agent.configuration_changed', 'agent.deleted']),
    at,
    agentID: ID,
    name: Type.String(),
    machineID: Type.String(),
    reason: Type.Optional(
      Nullable(
        Type.String({
          description: 'Of a deleted agent, why the service itself deleted it; null if somebody did.',
          examples: ['not heard for 30 days'],
        }),
      ),
    ),
  },
  { description: 'An agent was registered for the first time, got another configuration, or was deleted.' },
);
export type AgentEvent = Static<typeof AgentEvent>;

export const AgentStatusEvent = Type.Object(
  {
    type: OneOf(['agent.status_changed']),
    at,
    status: OneOf(agentStatuses),
    count: Type.Integer({ minimum: 1, description: 'How many agents have this status now.' }),
    agents: Type.Array(
      Type.Object({
        agentID: ID,
        name: Type.String(),
        machineID: Type.String(),
        before: Nullable(
          OneOf(agentStatuses, {
            description: 'Its status before. Null: it was registered a moment ago.',
          }),
        ),
      }),
      { minItems: 1, maxItems: 10, description: 'The agents, or ten of them.' },
    ),
  },
  {
    description:
      'Agents have another status. Agents that get the same status at the same time are told of in one event. A status that lasts for less than a second may not be told of.',
  },
);
export type AgentStatusEvent = Static<typeof AgentStatusEvent>;

export const CoreInstanceEvent = Type.Object(
  {
    type: OneOf([
      'core_instance.created',
      'core_instance.updated',
      'core_instance.rotated',
      'core_instance.leaked',
      'core_instance.deleted',
      'core_instance.unreachable',
      'core_instance.reachable',
    ]),
    at,
    coreInstanceID: ID,
    name: Type.String(),
  },
  {
    description:
      'A core instance was created, changed or deleted, got another token, somebody has reported that they found its token, it is not heard any more, or it is heard again and has sent all that waited.',
  },
);
export type CoreInstanceEvent = Static<typeof CoreInstanceEvent>;

export const FleetEvent = Type.Object(
  {
    type: OneOf([
      'fleet.created',
      'fleet.updated',
      'fleet.version_created',
      'fleet.version_published',
      'fleet.agents_moved',
      'fleet.variables_changed',
      'fleet.secrets_changed',
      'fleet.deleted',
    ]),
    at,
    fleetID: ID,
    name: Type.String(),
    version: Type.Optional(
      Type.Integer({ minimum: 1, description: 'The number of the version that was created or published.' }),
    ),
    agentsCount: Type.Optional(Type.Integer({ minimum: 1, description: 'Agents that were moved to it.' })),
  },
  {
    description:
      'A fleet was created, changed or deleted, a version of it was created or published: from then on, agents get it; agents were moved to it, or variables or secrets of it were set or removed.',
  },
);
export type FleetEvent = Static<typeof FleetEvent>;

export const RolloutEvent = Type.Object(
  {
    type: OneOf([
      'rollout.started',
      'rollout.paused',
      'rollout.resumed',
      'rollout.stopped',
      'rollout.reverted',
      'rollout.waiting',
      'rollout.approved',
      'rollout.promoted',
      'rollout.completed',
    ]),
    at,
    rolloutID: ID,
    fleetID: ID,
    name: Type.String({ description: 'Of the fleet.' }),
    version: Type.Integer({ minimum: 1, description: 'The number of the version that it gives to agents.' }),
    rule: Type.Optional(Type.String({ description: 'Why: as in `verdict` of the rollout.' })),
  },
  { description: 'A rollout began, ended, or waits for a person.' },
);
export type RolloutEvent = Static<typeof RolloutEvent>;

export const DismissalEvent = Type.Object(
  {
    type: OneOf(['dismissal.created', 'dismissal.finished', 'dismissal.undone']),
    at,
    dismissalID: ID,
    reason: Type.String(),
    errorsCount: Type.Integer({ minimum: 0, description: 'Errors that it has dismissed.' }),
    agentsCount: Type.Integer({ minimum: 0, description: 'Agents of these errors.' }),
    reopenedCount: Type.Integer({ minimum: 0, description: 'Errors that its undo has reopened.' }),
  },
  {
    description:
      'A dismissal of many errors was requested, has dismissed its last error, or was undone. Its progress is in `getDismissal`.',
  },
);
export type DismissalEvent = Static<typeof DismissalEvent>;

export const TokenEvent = Type.Object(
  {
    type: OneOf(['token.created', 'token.updated', 'token.rotated', 'token.revoked']),
    at,
    tokenID: ID,
    name: Type.String(),
    permissionsBefore: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Of `token.updated`: the permissions that it had before, changed or not.',
      }),
    ),
  },
  { description: 'A token was created, changed, rotated or revoked.' },
);
export type TokenEvent = Static<typeof TokenEvent>;

export const TokenLeakEvent = Type.Object(
  {
    type: OneOf(['token.leaked']),
    at,
    kind: OneOf(['project', 'agent'], { description: 'The kind of the credential.' }),
    tokenID: Nullable(Type.String({ format: 'uuid', description: 'Of a project token.' })),
    agentID: Nullable(Type.String({ format: 'uuid', description: 'Of the token of an agent.' })),
    name: Type.String({ description: 'The name of the token, or of the agent.' }),
    revoked: Type.Boolean({ description: 'True if the value that was found is refused from now on.' }),
    source: Nullable(
      Type.String({ description: 'Where it was found, in the words of whoever reported it.' }),
    ),
  },
  { description: 'Somebody has reported that they found the value of a token.' },
);
export type TokenLeakEvent = Static<typeof TokenLeakEvent>;

export const MemberEvent = Type.Object(
  {
    type: OneOf(['member.added', 'member.updated', 'member.removed']),
    at,
    userID: ID,
    name: Type.String(),
    role: OneOf([...roles, 'custom'], {
      description: 'The role after the change; of a removed member, the last one.',
    }),
  },
  { description: 'A user became a member of the project, got another role, or was removed.' },
);
export type MemberEvent = Static<typeof MemberEvent>;

export const ProjectUpdatedEvent = Type.Object(
  { type: OneOf(['project.updated']), at, name: Type.String({ description: 'The name after the change.' }) },
  { description: 'The project was renamed.' },
);
export type ProjectUpdatedEvent = Static<typeof ProjectUpdatedEvent>;

export const AlertChannelEvent = Type.Object(
  {
    type: OneOf(['alert_channel.created', 'alert_channel.updated', 'alert_channel.deleted']),
    at,
    alertChannelID: ID,
    name: Type.String(),
  },
  {
    description:
      'Somebody created, changed or deleted an alert channel. That messages to it fail is not told of in events.',
  },
);
export type AlertChannelEvent = Static<typeof AlertChannelEvent>;

export const AlertRuleEvent = Type.Object(
  {
    type: OneOf(['alert_rule.created', 'alert_rule.updated', 'alert_rule.deleted']),
    at,
    alertRuleID: ID,
    name: Type.String(),
  },
  { description: 'Somebody created, changed or deleted an alert rule.' },
);
export type AlertRuleEvent = Static<typeof AlertRuleEvent>;

export const ResetEvent = Type.Object(
  { type: OneOf(['reset']), at: Timestamp },
  {
    description:
      'Events between the Last-Event-ID and this one are no longer stored, or the id is of another database: read again what you show.',
  },
);
export type ResetEvent = Static<typeof ResetEvent>;

export const ProjectEvent = Type.Union(
  [
    AgentErrorsEvent,
    AgentErrorGroupEvent,
    AgentEvent,
    AgentStatusEvent,
    CoreInstanceEvent,
    FleetEvent,
    RolloutEvent,
    DismissalEvent,
    TokenEvent,
    TokenLeakEvent,
    MemberEvent,
    ProjectUpdatedEvent,
    AlertChannelEvent,
    AlertRuleEvent,
    ResetEvent,
  ],
  { description: 'The `data` of one event; its `type` is also in the `event` field.' },
);
export type ProjectEvent = Static<typeof ProjectEvent>;
