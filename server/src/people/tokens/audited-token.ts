import { toNullableTimestamp } from '../../foundation/clock.ts';
import type { AuditChange } from '../../record/audit/audit-service.ts';
import { parseNetworks } from './token-limits.ts';
import type { TokenRow } from './token-store.ts';

/** A token as the audit log describes it. */
export function auditedToken(row: TokenRow) {
  return {
    name: row.name,
    permissions: JSON.parse(row.permissions) as string[], // only this feature writes it
    expiresAt: toNullableTimestamp(row.expires_at),
    allowedNetworks: row.allowed_networks === null ? null : parseNetworks(row.allowed_networks),
    reportsPerSecond: row.reports_per_second,
    parentID: row.parent_id,
  };
}

export function createdToken(row: TokenRow): AuditChange {
  return { ...tokenChange('token.created', row), after: auditedToken(row) };
}

export function tokenChange(action: AuditChange['action'], row: TokenRow): AuditChange {
  return { projectID: row.project_id, action, target: { kind: 'token', id: row.id, name: row.name } };
}
