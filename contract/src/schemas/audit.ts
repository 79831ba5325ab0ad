import { type Static, Type } from 'typebox';
import { actorKinds, ID, Nullable, OneOf, Timestamp, TimestampOf } from './common.ts';

/**
 * What the audit log records. An action is named like the event about the same change, if there is one. `agents.deleted`, `fleet.agents_moved` and `agent_error_group.updated` are one entry for many
 * things; `request.denied` stands for all equal requests of a caller within a minute that got a 403.
 */
export const auditActions = [
  'project.created',
  'project.updated',
  'project.deleted',
  'project.departing',
  'project.frozen',
  'project.thawed',
  'project.moved',
  'project.arriving',
  'project.arrived',
  'token.created',
  'token.updated',
  'token.rotated',
  'token.earlier_values_ended',
  'token.revoked',
  'token.leaked',
  'access_token.created',
  'access_token.rotated',
  'access_token.earlier_values_ended',
  'access_token.revoked',
  'access_token.leaked',
  'sign_in_link.created',
  'sign_in_link.leaked',
  'session.created',
  'session.revoked',
  'session.leaked',
  'user.created',
  'user.updated',
  'user.removed',
  'member.added',
  'member.updated',
  'member.removed',
  'invitation.created',
  'invitation.accepted',
  'invitation.revoked',
  'agent.updated',
  'agent.configuration_changed',
  'agent.released',
  'agent.deleted',
  'agents.deleted',
  'fleet.created',
  'fleet.updated',
  'fleet.version_created',
  'fleet.deleted',
  'fleet.agents_moved',
  'fleet.variables_changed',
  'fleet.secrets_changed',
  'rollout.started',
  'rollout.paused',
  'rollout.resumed',
  'rollout.stopped',
  'rollout.reverted',
  'rollout.waiting',
  'rollout.approved',
  'rollout.promoted',
  'rollout.completed',
  'core_instance.created',
  'core_instance.updated',
  'core_instance.rotated',
  'core_instance.earlier_values_ended',
  'core_instance.deleted',
  'core_instance.leaked',
  'agent_error.dismissed',
  'agent_error.reopened',
  'agent_error_group.updated',
  'agent_error_group.muted',
  'agent_error_group.unmuted',
  'dismissal.created',
  'dismissal.finished',
  'dismissal.undone',
  'dismissal.undo_finished',
  'alert_channel.created',
  'alert_channel.updated',
  'alert_channel.deleted',
  'alert_rule.created',
  'alert_rule.updated',
  'alert_rule.deleted',
  'provisioning.applied',
  'request.denied',
] as const;

export type AuditAction = (typeof auditActions)[number];

/** What an entry is about. `route`: an operation that was denied; its id is the operation's. */
export const auditTargetKinds = [
  'project',
  'token',
  'access_token',
  'sign_in_link',
  'session',
  'user',
  'member',
  'invitation',
  'agent',
  'fleet',
  'core_instance',
  'agent_error',
  'agent_error_group',
  'dismissal',
  'alert_channel',
  'alert_rule',
  'installation',
  'route',
] as const;

export type AuditTargetKind = (typeof auditTargetKinds)[number];

const Digest = (description: string) =>
  Type.String({
    pattern: '^[0-9a-f]{64}$',
    examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    description,
  });

const Sequence = (description: string) => Type.Integer({ minimum: 0, description });

const Name = Nullable(Type.String({ description: 'What it was called then. Null: it has no name.' }));

const Values = (description: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>> | null>({
    type: ['object', 'null'],
    additionalProperties: true,
    description,
  });

export const AuditEntry = Type.Object(
  {
    id: ID,
    sequence: Type.Integer({
      minimum: 1,
      description: 'Counts the entries of a project, or those of no project, without gaps.',
    }),
    projectID: Nullable(Type.String({ format: 'uuid', description: 'Null: it belongs to no project.' })),
    createdAt: Timestamp,
    action: OneOf(auditActions),
    actor: Type.Object({
      kind: OneOf(actorKinds),
      id: Nullable(ID),
      name: Name,
      credentialID: Nullable(
        Type.String({
          format: 'uuid',
          description: 'The access token or session that a user did it with. Null: another credential.',
        }),
      ),
    }),
    address: Nullable(
      Type.String({ description: 'The IP address that sent the request. Null: no request, or unknown.' }),
    ),
    requestID: Nullable(Type.String({ description: 'As in `X-Request-Id` of the answer and in the log.' })),
    target: Type.Object({
      kind: OneOf(auditTargetKinds),
      id: Nullable(Type.String({ description: 'Null: several things.' })),
      name: Name,
    }),
    before: Values('What the change replaced. Null: nothing.'),
    after: Values('What it is now, or how it was done. Null: nothing.'),
    previousDigest: Digest('The digest of the entry before it. Only zeros: it is the first one.'),
    digest: Digest(
      'SHA-256 of the entry without this field, as canonical JSON (RFC 8785) in UTF-8, in hexadecimal digits.',
    ),
  },
  { description: 'Who changed what. Entries never change. They contain no secrets and no configurations.' },
);
export type AuditEntry = Static<typeof AuditEntry>;

const End = (description: string) =>
  Type.Object(
    {
      sequence: Sequence('The number of the entry. 0: there is none.'),
      digest: Digest('Its digest. Only zeros: there is none.'),
    },
    { description },
  );

export const AuditChain = Type.Object(
  {
    format: OneOf(['muster-audit-log/1']),
    id: Type.String({
      format: 'uuid',
      description: 'The project; only zeros: what belongs to no project.',
    }),
    projectID: Nullable(Type.String({ format: 'uuid', description: 'Null: it belongs to no project.' })),
    anchor: End('The entry before the first one: the last that was removed after MUSTER_AUDIT_DAYS.'),
    head: End('The newest entry.'),
    removedAt: Nullable(TimestampOf('When entries were last removed after MUSTER_AUDIT_DAYS. Null: never.')),
  },
  { description: 'The ends of the chain of entries of a project, or of what belongs to no project.' },
);
export type AuditChain = Static<typeof AuditChain>;
