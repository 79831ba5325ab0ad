import { type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from '../column-types.ts';

/** Musters at sites, the ids that they gave agents, and what changes of the credentials that they know. */
export function coreInstanceTables(engine: Engine): readonly RawBuilder<unknown>[] {
  const { id, text, integer } = columnTypes(engine);
  const options = tableOptions(engine);
  return [
    sql`create table core_instances (
      id ${id} not null primary key,
      project_id ${id} not null,
      name ${text} not null,
      version ${text},
      tags ${text} not null,
      metadata ${text} not null,
      key_digest ${text},
      digest ${text} not null,
      last_four ${text} not null,
      rotated_at ${integer},
      earlier_digest ${text},
      earlier_ends_at ${integer},
      earlier_retires ${integer} not null default 0,
      revoked_at ${integer},
      created_at ${integer} not null,
      created_by_kind ${text} not null,
      created_by_id ${id},
      created_by_name ${text},
      updated_at ${integer} not null,
      deleted_at ${integer},
      last_contact_at ${integer},
      started_at ${integer},
      spooled_count ${integer} not null default 0,
      spooled_bytes ${integer} not null default 0,
      oldest_spooled_at ${integer},
      lost_count ${integer} not null default 0,
      last_loss_at ${integer},
      refused_count ${integer} not null default 0,
      last_refused_at ${integer},
      last_refusal_code ${text},
      clock_offset_ms ${integer},
      received_minutes ${text},
      missed_contact_at ${integer},
      sequence ${integer} not null default 0,
      batch_id ${id},
      applied_sequence ${integer} not null default 0,
      applied_items ${integer} not null default 0,
      attempt_id ${id},
      attempts ${integer} not null default 0,
      attempted_at ${integer} not null default 0,
      attempt_offset_ms ${integer} not null default 0,
      attempt_floor ${integer} not null default 0,
      newest_report_at ${integer},
      claimed_by ${id},
      claimed_until ${integer} not null default 0,
      last_result ${text}
    ) ${options}`,
    sql`create unique index core_instances_by_name on core_instances (project_id, name)
      where deleted_at is null`,
    sql`create unique index core_instances_by_key on core_instances (project_id, key_digest)
      where deleted_at is null and key_digest is not null`,
    sql`create index core_instances_by_project on core_instances (project_id, id)`,
    sql`create unique index core_instances_by_digest on core_instances (digest)`,
    sql`create index core_instances_by_earlier_digest on core_instances (earlier_digest)
      where earlier_digest is not null`,

    sql`create table agent_aliases (
      project_id ${id} not null,
      alias_id ${id} not null,
      agent_id ${id} not null,
      created_at ${integer} not null,
      primary key (project_id, alias_id)
    ) ${options}`,

    ...credentialNotes(engine),
  ];
}

/**
 * Triggers append each digest that became valid or changed, in the transaction that changes it.
 *
 * Where several transactions write at a time, the order of keys is not the order of commits: `position` is then the number of the transaction, and a
 * reader asks again for everything since the oldest one that was still open. `noted_at` is by the clock of the database, and only says what is old.
 */
function credentialNotes(engine: Engine): readonly RawBuilder<unknown>[] {
  return [
    engine === 'sqlite'
      ? sql`create table credential_notes (
          position integer primary key autoincrement,
          project_id text not null,
          kind text not null,
          digest text not null,
          noted_at integer not null default (cast(unixepoch('subsec') * 1000 as integer))
        ) strict`
      : sql`create table credential_notes (
          key bigint generated always as identity primary key,
          position bigint not null default (pg_current_xact_id()::text::bigint),
          project_id uuid not null,
          kind text not null,
          digest text not null,
          noted_at bigint not null default ((extract(epoch from clock_timestamp()) * 1000)::bigint)
        )`,
    sql`create index credential_notes_by_project on credential_notes (project_id, position)`,
  ];
}

/** The statement of a trigger on a table of credentials. */
export function noteOfCredential(
  kind: 'project' | 'agent',
  projectID: RawBuilder<unknown>,
  digest: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`insert into credential_notes (project_id, kind, digest) values (${projectID}, ${sql.lit(kind)}, ${digest})`;
}

/** So many credentials end at once that everybody reads all again. */
export const noteOfAllCredentials = sql`insert into credential_notes (project_id, kind, digest) values (new.project_id, 'all', '')`;
