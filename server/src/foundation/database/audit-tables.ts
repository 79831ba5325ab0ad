import type { Generated } from 'kysely';

/** The row types of the audit log. */
export interface AuditTables {
  audit_chains: AuditChainTable;
  audit_entries: AuditEntryTable;
  audit_pending: AuditPendingTable;
}

/** The ends of the audit log of a project, or of what belongs to no project. */
interface AuditChainTable {
  /** The id of the project, or only zeros. */
  chain_id: string;
  last_sequence: number;
  /** Of the entry before the last one. */
  previous_digest: string;
  last_digest: string;
  /** The last entry that retention removed. 0: none yet. */
  removed_sequence: Generated<number>;
  removed_digest: Generated<string>;
  removed_at: number | null;
}

/** Never changed. Triggers see to it. */
interface AuditEntryTable {
  chain_id: string;
  /** Counts the entries of a chain, without gaps. */
  sequence: number;
  id: string;
  created_at: number;
  action: string;
  actor_kind: string;
  actor_id: string | null;
  actor_name: string | null;
  credential_id: string | null;
  address: string | null;
  request_id: string | null;
  target_kind: string;
  target_id: string | null;
  target_name: string | null;
  /** JSON. */
  before_json: string;
  /** JSON. */
  after_json: string;
  previous_digest: string;
  /** SHA-256 of `auditText` of the contract, in hexadecimal digits. */
  digest: string;
}

/** A part of an entry of the audit log that waits to be recorded together with others. */
interface AuditPendingTable {
  id: string;
  /** Parts with the same name become one entry. */
  work: string;
  project_id: string | null;
  due_at: number;
  created_at: number;
  /** JSON: an entry without its id and time. */
  entry: string;
  /** JSON array. */
  agent_ids: string;
}
