/**
 * What the audit log records. An action is named like the event about the same change, if there is one. `agents.deleted` is one entry for many
 * agents; `request.denied` stands for all equal requests of a caller within a minute that got a 403.
 */
export const auditActions = [
  'project.created',
  'project.updated',
  'project.deleted',
  'token.created',
  'token.updated',
  'token.rotated',
  'token.revoked',
  'token.leaked',
  'access_token.created',
  'access_token.rotated',
  'access_token.revoked',
  'access_token.leaked',
  'session.created',
  'session.revoked',
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
  'agent_error.dismissed',
  'agent_error.reopened',
  'agent_error_group.muted',
  'agent_error_group.unmuted',
  'dismissal.created',
  'dismissal.undone',
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
  'session',
  'user',
  'member',
  'invitation',
  'agent',
  'agent_error',
  'agent_error_group',
  'dismissal',
  'alert_channel',
  'alert_rule',
  'installation',
  'route',
] as const;

export type AuditTargetKind = (typeof auditTargetKinds)[number];
