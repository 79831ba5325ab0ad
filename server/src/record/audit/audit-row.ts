import { canonicalJson } from '@muster/contract';
import type { NewAuditEntry } from './audit-entry.ts';

/** The chain of entries that belong to no project. */
const installationChain = '00000000-0000-0000-0000-000000000000';

export function chainOf(projectID: string | null): string {
  return projectID ?? installationChain;
}

export function projectOfChain(chainID: string): string | null {
  return chainID === installationChain ? null : chainID;
}

/** The columns of an entry whose values its chain does not decide, in the order of `columnValues`. */
export const columnNames = [
  'id',
  'created_at',
  'action',
  'actor_kind',
  'actor_id',
  'actor_name',
  'credential_id',
  'address',
  'request_id',
  'target_kind',
  'target_id',
  'target_name',
  'before_json',
  'after_json',
] as const;

export function columnValues(entry: NewAuditEntry): readonly (string | number | null)[] {
  const { actor, target } = entry;
  return [
    entry.id,
    entry.createdAt,
    entry.action,
    actor.kind,
    actor.id,
    actor.name,
    actor.credentialID,
    entry.address,
    entry.requestID,
    target.kind,
    target.id,
    target.name,
    canonicalJson(entry.before),
    canonicalJson(entry.after),
  ];
}
