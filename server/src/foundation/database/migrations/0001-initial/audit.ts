import { type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from '../column-types.ts';

/** The audit log. A chain of entries belongs to a project, or to the installation. */
export function auditTables(engine: Engine): readonly RawBuilder<unknown>[] {
  const { id, text, integer } = columnTypes(engine);
  const options = tableOptions(engine);
  return [
    // The ends of each chain: its newest entry, and the last one that retention removed.
    sql`create table audit_chains (
      chain_id ${id} not null primary key,
      last_sequence ${integer} not null,
      previous_digest ${text} not null,
      last_digest ${text} not null,
      removed_sequence ${integer} not null default 0,
      removed_digest ${text} not null default ${sql.lit('0'.repeat(64))},
      removed_at ${integer}
    ) ${options}`,
    sql`create table audit_entries (
      chain_id ${id} not null,
      sequence ${integer} not null,
      id ${id} not null,
      created_at ${integer} not null,
      action ${text} not null,
      actor_kind ${text} not null,
      actor_id ${id},
      actor_name ${text},
      credential_id ${id},
      address ${text},
      request_id ${text},
      target_kind ${text} not null,
      target_id ${text},
      target_name ${text},
      before_json ${text} not null,
      after_json ${text} not null,
      previous_digest ${text} not null,
      digest ${text} not null,
      primary key (chain_id, sequence)
    ) ${options}`,
    sql`create unique index audit_entries_by_id on audit_entries (id)`,
    sql`create index audit_entries_by_chain on audit_entries (chain_id, id)`,
    sql`create index audit_entries_by_actor on audit_entries (actor_id, id)`,
    sql`create index audit_entries_by_target on audit_entries (target_id, id)`,
    ...(engine === 'sqlite' ? sqliteGuards : postgresGuards),

    // Parts of entries that wait to be recorded together, such as the changes that a whole fleet makes at once. Each is written in the transaction of
    // its change.
    sql`create table audit_pending (
      id ${text} not null primary key,
      work ${text} not null,
      project_id ${id},
      due_at ${integer} not null,
      created_at ${integer} not null,
      entry ${text} not null,
      agent_ids ${text} not null
    ) ${options}`,
    sql`create index audit_pending_due on audit_pending (due_at)`,
    sql`create index audit_pending_by_work on audit_pending (work)`,
  ];
}

const sqliteGuards: readonly RawBuilder<unknown>[] = [
  sql`create trigger audit_entries_unchangeable before update on audit_entries begin
    select raise(abort, 'entries of the audit log are never changed');
  end`,
  sql`create trigger audit_entries_undeletable before delete on audit_entries
    when old.sequence > coalesce((select removed_sequence from audit_chains where chain_id = old.chain_id), 0) begin
    select raise(abort, 'entries of the audit log are removed by retention only');
  end`,
];

const postgresGuards: readonly RawBuilder<unknown>[] = [
  sql`create function refuse_audit_change() returns trigger language plpgsql as $$
    begin
      raise exception 'entries of the audit log are never changed';
    end $$`,
  sql`create trigger audit_entries_unchangeable before update on audit_entries
    for each row execute function refuse_audit_change()`,
  sql`create function refuse_audit_removal() returns trigger language plpgsql as $$
    begin
      if old.sequence > coalesce((select removed_sequence from audit_chains where chain_id = old.chain_id), 0) then
        raise exception 'entries of the audit log are removed by retention only';
      end if;
      return old;
    end $$`,
  sql`create trigger audit_entries_undeletable before delete on audit_entries
    for each row execute function refuse_audit_removal()`,
];
