import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from './column-types.ts';

/**
 * Parts of audit entries that wait to be recorded together, such as the changes that a whole fleet makes at once. Each is written in the transaction
 * of its change. It replaces a table that nothing has used. Triggers add the results of dismissals.
 */
export async function addAuditPending(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, text, integer } = columnTypes(engine);
  const statements = [
    sql`drop table audit_config_changes`,
    sql`create table audit_pending (
      id ${text} not null primary key,
      work ${text} not null,
      project_id ${id},
      due_at ${integer} not null,
      created_at ${integer} not null,
      entry ${text} not null,
      agent_ids ${text} not null
    ) ${tableOptions(engine)}`,
    sql`create index audit_pending_due on audit_pending (due_at)`,
    sql`create index audit_pending_by_work on audit_pending (work)`,
    ...(engine === 'sqlite' ? sqliteTriggers : postgresTriggers),
  ];
  for (const statement of statements) await statement.execute(db);
}

const insertPending = sql`insert into audit_pending (id, work, project_id, due_at, created_at, entry, agent_ids)`;

const sqliteTriggers: readonly RawBuilder<unknown>[] = [
  sql`create trigger dismissals_audit_finished after update of state on dismissals
    when new.state in ('done', 'undone') and old.state <> new.state begin
    ${insertPending} values (
      lower(hex(randomblob(16))), 'dismissal ' || new.id || ' ' || new.state, new.project_id,
      coalesce(new.undo_ended_at, new.ended_at), coalesce(new.undo_ended_at, new.ended_at),
      json_object(
        'action', case new.state when 'done' then 'dismissal.finished' else 'dismissal.undo_finished' end,
        'actor', json_object('kind', 'system', 'id', null, 'name', null, 'credentialID', null),
        'address', null, 'requestID', null,
        'target', json_object('kind', 'dismissal', 'id', new.id, 'name', null), 'before', null,
        'after', case new.state
          when 'done' then json_object('errorsCount', new.errors_count, 'agentsCount', new.agents_count)
          else json_object('reopenedCount', new.reopened_count, 'equalOpenCount', new.equal_open_count) end),
      '[]');
  end`,
];

const postgresTriggers: readonly RawBuilder<unknown>[] = [
  sql`create function note_finished_dismissal_audit() returns trigger language plpgsql as $$
    begin
      ${insertPending} values (
        gen_random_uuid()::text, 'dismissal ' || new.id || ' ' || new.state, new.project_id,
        coalesce(new.undo_ended_at, new.ended_at), coalesce(new.undo_ended_at, new.ended_at),
        json_build_object(
          'action', case new.state when 'done' then 'dismissal.finished' else 'dismissal.undo_finished' end,
          'actor', json_build_object('kind', 'system', 'id', null, 'name', null, 'credentialID', null),
          'address', null, 'requestID', null,
          'target', json_build_object('kind', 'dismissal', 'id', new.id, 'name', null), 'before', null,
          'after', case new.state
            when 'done' then json_build_object('errorsCount', new.errors_count, 'agentsCount', new.agents_count)
            else json_build_object('reopenedCount', new.reopened_count, 'equalOpenCount', new.equal_open_count)
          end)::text,
        '[]');
      return null;
    end $$`,
  sql`create trigger dismissals_audit_finished after update of state on dismissals
    for each row when (new.state in ('done', 'undone') and old.state <> new.state)
    execute function note_finished_dismissal_audit()`,
];
