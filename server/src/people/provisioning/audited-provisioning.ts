import type { ProvisioningChange } from '@muster/contract';
import type { AuditChange } from '../../record/audit/audit-service.ts';

/** A change that a provisioning file has made, as the audit log records it. */
export function auditedProvisioning(change: ProvisioningChange): AuditChange[] {
  const isDraft = change.resource === 'fleet' && change.action === 'update' && change.reason !== null;
  const action = isDraft ? 'fleet.version_created' : actions[`${change.resource} ${change.action}`];
  if (action === undefined) return [];
  const { projectID, resource: kind, id, name, fields } = change;
  const valuesOf = (side: 'before' | 'after') =>
    Object.fromEntries(fields.map((field) => [field.field, toApiValue(field.field, field[side])]));
  return [
    {
      projectID,
      action,
      target: { kind, id, name },
      ...(change.action === 'update' && { before: valuesOf('before') }),
      after: valuesOf('after'),
    },
  ];
}

/** What is left as it is changes nothing, so it has no action. */
const actions: Readonly<Record<string, AuditChange['action']>> = {
  'project create': 'project.created',
  'project update': 'project.updated',
  'member create': 'member.added',
  'member update': 'member.updated',
  'token create': 'token.created',
  'token update': 'token.updated',
  'token rotate': 'token.rotated',
  'fleet create': 'fleet.created',
  'fleet update': 'fleet.updated',
};

/** In the terms of the API. */
function toApiValue(field: string, text: string | null): string | number | string[] | null {
  if (text === null) return null;
  switch (field) {
    case 'permissions':
    case 'allowedNetworks':
      return text === '' ? [] : text.split(', ');
    case 'version':
    case 'reportsPerSecond':
    case 'graceSeconds':
      return Number(text);
    default:
      return text;
  }
}
