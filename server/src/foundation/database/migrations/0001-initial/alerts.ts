import { type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from '../column-types.ts';

/**
 * Alerts: where they are sent (channels), when (rules), what is happening (alerts), what has to be told of it (notes), and the messages
 * that contain these notes (deliveries, the outbox).
 */
export function alertTables(engine: Engine): readonly RawBuilder<unknown>[] {
  const { id, text, integer } = columnTypes(engine);
  const options = tableOptions(engine);
  return [
    // `sealed`: JSON of the secrets, encrypted with the key of this id. Null: the kind has none.
    sql`create table alert_channels (
      id ${id} not null primary key,
      project_id ${id} not null,
      name ${text} not null,
      kind ${text} not null,
      target ${text} not null,
      recipients ${text},
      sealed ${text},
      key_id ${text},
      quiet_hours ${text},
      created_at ${integer} not null,
      created_by_kind ${text} not null,
      created_by_id ${id},
      created_by_name ${text},
      updated_at ${integer} not null,
      disabled_at ${integer},
      disabled_reason ${text},
      failing_since ${integer},
      last_failure ${text},
      last_delivered_at ${integer},
      told_at ${integer} not null default 0,
      tested_at ${integer} not null default 0
    ) ${options}`,
    sql`create index alert_channels_by_project on alert_channels (project_id, id)`,

    // `channel_ids`: a JSON array. Null: all channels of the project.
    sql`create table alert_rules (
      id ${id} not null primary key,
      project_id ${id} not null,
      name ${text} not null,
      kind ${text} not null,
      conditions ${text} not null,
      channel_ids ${text},
      cooldown_seconds ${integer} not null,
      is_enabled ${integer} not null default 1,
      created_at ${integer} not null,
      created_by_kind ${text} not null,
      created_by_id ${id},
      created_by_name ${text},
      updated_at ${integer} not null
    ) ${options}`,
    sql`create index alert_rules_by_project on alert_rules (project_id, id)`,

    // `subject`: what it is about, such as the id of a group. `is_told`: somebody was told that it is open.
    sql`create table alerts (
      id ${id} not null primary key,
      project_id ${id} not null,
      rule_id ${id} not null,
      subject ${id} not null,
      is_open ${integer} not null,
      is_told ${integer} not null,
      opened_at ${integer} not null,
      over_at ${integer},
      told_at ${integer} not null default 0,
      content ${text} not null
    ) ${options}`,
    sql`create unique index alerts_by_subject on alerts (rule_id, subject)`,
    sql`create index alerts_open on alerts (project_id, rule_id) where is_open = 1`,

    sql`create table alert_notes (
      id ${id} not null primary key,
      project_id ${id} not null,
      channel_id ${id} not null,
      alert_id ${id} not null,
      kind ${text} not null,
      content ${text} not null,
      weight ${integer} not null,
      created_at ${integer} not null,
      delivery_id ${id},
      incident_key ${text}
    ) ${options}`,
    sql`create index alert_notes_waiting on alert_notes (channel_id, id) where delivery_id is null`,
    sql`create index alert_notes_by_alert on alert_notes (alert_id, channel_id, id)`,
    sql`create index alert_notes_by_incident on alert_notes (channel_id, incident_key)
      where incident_key is not null`,

    sql`create table alert_deliveries (
      id ${id} not null primary key,
      project_id ${id} not null,
      channel_id ${id} not null,
      kind ${text} not null,
      title ${text} not null,
      message ${text} not null,
      state ${text} not null,
      attempts ${integer} not null default 0,
      created_at ${integer} not null,
      give_up_at ${integer} not null,
      next_attempt_at ${integer},
      lease_until ${integer} not null default 0,
      last_attempt_at ${integer},
      ended_at ${integer},
      answer_status ${integer},
      answer ${text},
      failure ${text},
      milliseconds ${integer}
    ) ${options}`,
    sql`create index alert_deliveries_waiting on alert_deliveries (channel_id, id) where state = 'waiting'`,
    sql`create index alert_deliveries_by_project on alert_deliveries (project_id, id)`,
    sql`create index alert_deliveries_by_channel on alert_deliveries (channel_id, id)`,

    // The last event of each project that the rules have seen. It moves in the transaction that writes what follows from the event. `revision` decides
    // between replicas.
    sql`create table alert_cursors (
      project_id ${id} not null primary key,
      sequence ${integer} not null,
      revision ${integer} not null
    ) ${options}`,
  ];
}
