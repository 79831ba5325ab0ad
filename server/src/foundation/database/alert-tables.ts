import type { Generated } from 'kysely';

/** The row types of alerts. */
export interface AlertTables {
  alert_channels: AlertChannelTable;
  alert_rules: AlertRuleTable;
  alerts: AlertTable;
  alert_notes: AlertNoteTable;
  alert_deliveries: AlertDeliveryTable;
}

/** Where alerts of a project are sent. */
interface AlertChannelTable {
  id: string;
  project_id: string;
  name: string;
  kind: string;
  /** What may be shown of its address. */
  target: string;
  /** JSON array of mail addresses. */
  recipients: string | null;
  /** JSON of its secrets, encrypted with the key of this id. */
  sealed: string | null;
  key_id: string | null;
  /** JSON. */
  quiet_hours: string | null;
  created_at: number;
  created_by_kind: string;
  created_by_id: string | null;
  created_by_name: string | null;
  updated_at: number;
  disabled_at: number | null;
  disabled_reason: string | null;
  /** When the first of the attempts failed that have all failed since. */
  failing_since: number | null;
  last_failure: string | null;
  last_delivered_at: number | null;
  /** When its last message was written, for the limit of one a minute. 0: never. */
  told_at: Generated<number>;
  tested_at: Generated<number>;
}

/** When somebody is told of something. */
interface AlertRuleTable {
  id: string;
  project_id: string;
  name: string;
  kind: string;
  /** JSON. */
  conditions: string;
  /** JSON array. Null: all channels of the project. */
  channel_ids: string | null;
  cooldown_seconds: number;
  is_enabled: Generated<number>;
  created_at: number;
  created_by_kind: string;
  created_by_id: string | null;
  created_by_name: string | null;
  updated_at: number;
}

/** What a rule has found, by its subject. */
interface AlertTable {
  id: string;
  project_id: string;
  rule_id: string;
  /** What it is about, such as the id of a group. */
  subject: string;
  is_open: number;
  /** 1: a note says that it is open. */
  is_told: number;
  opened_at: number;
  over_at: number | null;
  /** When it was last told of, for the cool-down. 0: never. */
  told_at: Generated<number>;
  /** JSON. */
  content: string;
}

/** Something that a channel has to be told. */
interface AlertNoteTable {
  id: string;
  project_id: string;
  channel_id: string;
  alert_id: string;
  /** `open` or `over`. */
  kind: string;
  /** JSON. */
  content: string;
  /** Notes with a greater one come first in a digest. */
  weight: number;
  created_at: number;
  /** The message that contains it. Null: it waits for one. */
  delivery_id: string | null;
  /** The incident of the on-call service that it opened. */
  incident_key: string | null;
}

/** A message to a channel: the outbox, and the log of what was sent. */
interface AlertDeliveryTable {
  id: string;
  project_id: string;
  channel_id: string;
  kind: string;
  title: string;
  /** JSON, without secrets. */
  message: string;
  state: string;
  attempts: Generated<number>;
  created_at: number;
  /** No attempt begins after this time. */
  give_up_at: number;
  next_attempt_at: number | null;
  /** Until then, a replica is sending it. */
  lease_until: Generated<number>;
  last_attempt_at: number | null;
  ended_at: number | null;
  answer_status: number | null;
  answer: string | null;
  failure: string | null;
  milliseconds: number | null;
}
