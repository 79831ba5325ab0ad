import type { Generated } from 'kysely';

/** Row types of what Musters at sites need. Times and ids as in `tables.ts`. */
export interface CoreInstanceTables {
  core_instances: CoreInstanceTable;
  agent_aliases: AgentAliasTable;
  credential_notes: CredentialNoteTable;
}

interface CoreInstanceTable {
  id: string;
  project_id: string;
  name: string;
  version: string | null;
  /** JSON. */
  tags: string;
  /** JSON. */
  metadata: string;
  /** SHA-256 of the random text that it keeps. Null: it has none. */
  key_digest: string | null;
  /** Of its token. */
  digest: string;
  last_four: string;
  rotated_at: number | null;
  /** Of the token before the last rotation. It is refused from `earlier_ends_at` on. */
  earlier_digest: string | null;
  earlier_ends_at: number | null;
  /** 1: it ends when the current one is used for the first time. */
  earlier_retires: Generated<number>;
  revoked_at: number | null;
  created_at: number;
  created_by_kind: string;
  created_by_id: string | null;
  /** What its creator was called then. */
  created_by_name: string | null;
  updated_at: number;
  deleted_at: number | null;
  last_contact_at: number | null;
  /** This and the following, as it reported them last, in times of this service. */
  started_at: number | null;
  spooled_count: Generated<number>;
  spooled_bytes: Generated<number>;
  oldest_spooled_at: number | null;
  lost_count: Generated<number>;
  last_loss_at: number | null;
  /** Items of its batches that were refused for good, and why the last one was. */
  refused_count: Generated<number>;
  last_refused_at: number | null;
  last_refusal_code: string | null;
  clock_offset_ms: number | null;
  /** JSON of how much has arrived in the minutes before its last one in which something did. Null: nothing has. */
  received_minutes: string | null;
  /** Its last contact when its agents were marked as unknown. Null: they are not. */
  missed_contact_at: number | null;
  /** Of the newest batch that is applied as a whole. */
  sequence: Generated<number>;
  /** Its id, as the core instance has chosen it. Null: it has chosen none. Zeros: the number means no batch. */
  batch_id: string | null;
  /** The batch that was tried last, and how many of its items are applied. 0: there is none that is not applied as a whole. */
  applied_sequence: Generated<number>;
  applied_items: Generated<number>;
  /** Its id. */
  attempt_id: string | null;
  /** How often that batch was tried. */
  attempts: Generated<number>;
  /** When it was tried first, how far the clock of the site was ahead then, and the time before which none of its reports is. */
  attempted_at: Generated<number>;
  attempt_offset_ms: Generated<number>;
  attempt_floor: Generated<number>;
  /** The time of the newest error that it passed on. Null: none. */
  newest_report_at: number | null;
  /** The process that applies a batch, and until when no other one may. */
  claimed_by: string | null;
  claimed_until: Generated<number>;
  /** JSON of what was refused of that batch so far, and of the aliases that it made. Null: nothing. */
  last_result: string | null;
}

/** An id that a site gave an agent that is known under another one. */
interface AgentAliasTable {
  project_id: string;
  alias_id: string;
  agent_id: string;
  created_at: number;
}

/** A digest that became valid, or about which something has changed. Written by triggers. */
interface CredentialNoteTable {
  /** The order in which notes are read; see the migration. */
  position: Generated<number>;
  project_id: string;
  /** `project`, `agent`, or `all`: everything has to be read again. */
  kind: string;
  digest: string;
  /** By the clock of the database. */
  noted_at: Generated<number>;
}
