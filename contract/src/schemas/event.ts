import { type Static, Type } from 'typebox';
import type { Permission } from '../permissions.ts';
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
  'agent.deleted': 'read:agent',
  'token.created': 'read:token',
  'token.updated': 'read:token',
  'token.rotated': 'read:token',
  'token.revoked': 'read:token',
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
      'A group of errors has its first error, has an error again after all were dismissed, or was muted.',
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
  },
  { description: 'An agent was registered for the first time, got another configuration, or was deleted.' },
);
export type AgentEvent = Static<typeof AgentEvent>;

export const TokenEvent = Type.Object(
  {
    type: OneOf(['token.created', 'token.updated', 'token.rotated', 'token.revoked']),
    at,
    tokenID: ID,
    name: Type.String(),
  },
  { description: 'A token was created, changed, rotated or revoked.' },
);
export type TokenEvent = Static<typeof TokenEvent>;

export const ResetEvent = Type.Object(
  { type: OneOf(['reset']), at: Timestamp },
  {
    description:
      'Events between the Last-Event-ID and this one are no longer stored, or the id is of another database: read again what you show.',
  },
);
export type ResetEvent = Static<typeof ResetEvent>;

export const ProjectEvent = Type.Union(
  [AgentErrorsEvent, AgentErrorGroupEvent, AgentEvent, TokenEvent, ResetEvent],
  { description: 'The `data` of one event; its `type` is also in the `event` field.' },
);
export type ProjectEvent = Static<typeof ProjectEvent>;
