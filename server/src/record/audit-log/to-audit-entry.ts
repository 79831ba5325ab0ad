import type { AuditChain, AuditEntry } from '@muster/contract';
import { toNullableTimestamp, toTimestamp } from '../../foundation/clock.ts';
import { projectOfChain } from '../audit/audit-service.ts';
import type { AuditChainRow, AuditEntryRow } from './audit-log-store.ts';

/** An entry in the form of the contract, which is also that of its digest. */
export function toAuditEntry(row: AuditEntryRow): AuditEntry {
  return {
    id: row.id,
    sequence: row.sequence,
    projectID: projectOfChain(row.chain_id),
    createdAt: toTimestamp(row.created_at),
    action: row.action as AuditEntry['action'], // written by the service alone
    actor: {
      kind: row.actor_kind as AuditEntry['actor']['kind'], // written by the service alone
      id: row.actor_id,
      name: row.actor_name,
      credentialID: row.credential_id,
    },
    address: row.address,
    requestID: row.request_id,
    target: {
      kind: row.target_kind as AuditEntry['target']['kind'], // written by the service alone
      id: row.target_id,
      name: row.target_name,
    },
    before: JSON.parse(row.before_json) as AuditEntry['before'], // written by the service alone
    after: JSON.parse(row.after_json) as AuditEntry['after'], // written by the service alone
    previousDigest: row.previous_digest,
    digest: row.digest,
  };
}

export function toAuditChain(row: AuditChainRow): AuditChain {
  return {
    format: 'muster-audit-log/1',
    id: row.chain_id,
    projectID: projectOfChain(row.chain_id),
    anchor: { sequence: row.removed_sequence, digest: row.removed_digest },
    head: { sequence: row.last_sequence, digest: row.last_digest },
    removedAt: toNullableTimestamp(row.removed_at),
  };
}
