import { type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine } from '../column-types.ts';
import { jsonText, rowTrigger } from './row-trigger.ts';

/**
 * Dismissals of many errors at once: jobs that run in portions. Each error that one has dismissed names it, so that it can be undone.
 * `dismissal_agents` holds the agents that a job has counted.
 */
export function dismissalTables(engine: Engine): readonly RawBuilder<unknown>[] {
  const { id, text, integer } = columnTypes(engine);
  const isSqlite = engine === 'sqlite';
  return [
    // On SQLite, errors name their dismissal by an integer.
    sql`create table dismissals (
      ${isSqlite ? sql`key integer primary key autoincrement,` : sql``}
      id ${id} not null ${isSqlite ? sql`unique` : sql`primary key`},
      project_id ${id} not null,
      reason ${text} not null,
      filter ${text} not null,
      bound_id ${id} not null,
      state ${text} not null,
      requested_at ${integer} not null,
      requested_by_kind ${text} not null,
      requested_by_id ${id},
      cursor_id ${id},
      errors_count ${integer} not null default 0,
      agents_count ${integer} not null default 0,
      ended_at ${integer},
      undo_requested_at ${integer},
      undo_requested_by_kind ${text},
      undo_requested_by_id ${id},
      undo_ended_at ${integer},
      reopened_count ${integer} not null default 0,
      equal_open_count ${integer} not null default 0,
      lease_holder ${id},
      lease_until ${integer} not null default 0
    ) ${isSqlite ? sql`strict` : sql``}`,
    sql`create index dismissals_by_project on dismissals (project_id, id)`,
    sql`create index dismissals_unfinished on dismissals (id) where state in ('running', 'undoing')`,
    ...dismissalTriggers(engine),

    sql`create table dismissal_agents (
      dismissal_id ${id} not null,
      agent_id ${id} not null,
      primary key (dismissal_id, agent_id)
    ) ${isSqlite ? sql`strict, without rowid` : sql``}`,
  ];
}

function dismissalTriggers(engine: Engine): readonly RawBuilder<unknown>[] {
  const table = 'dismissals';
  const isEnded = sql`old.state <> new.state and new.state in ('done', 'undone')`;
  const noteOfEvent = (type: RawBuilder<unknown>) =>
    sql`insert into event_changes (project_id, type, data) values (new.project_id, ${type}, ${jsonText(
      engine,
      sql`'dismissalID', new.id, 'reason', new.reason, 'errorsCount', new.errors_count,
        'agentsCount', new.agents_count, 'reopenedCount', new.reopened_count`,
    )})`;
  return [
    ...rowTrigger(engine, {
      name: 'dismissals_event_created',
      function: 'note_created_dismissal_event',
      table,
      event: 'insert',
      statements: [noteOfEvent(sql`'dismissal.created'`)],
    }),
    ...rowTrigger(engine, {
      name: 'dismissals_event_ended',
      function: 'note_ended_dismissal_event',
      table,
      event: 'update of state',
      condition: isEnded,
      statements: [
        noteOfEvent(sql`case new.state when 'done' then 'dismissal.finished' else 'dismissal.undone' end`),
      ],
    }),
    ...rowTrigger(engine, {
      name: 'dismissals_audit_finished',
      function: 'note_finished_dismissal_audit',
      table,
      event: 'update of state',
      condition: isEnded,
      statements: [noteOfResult(engine)],
    }),
  ];
}

/** The part of an audit entry that says what a dismissal, or its undo, has done. */
function noteOfResult(engine: Engine): RawBuilder<unknown> {
  const isSqlite = engine === 'sqlite';
  const object = isSqlite ? sql`json_object` : sql`json_build_object`;
  return sql`insert into audit_pending (id, work, project_id, due_at, created_at, entry, agent_ids) values (
    ${isSqlite ? sql`lower(hex(randomblob(16)))` : sql`gen_random_uuid()::text`},
    'dismissal ' || new.id || ' ' || new.state, new.project_id,
    coalesce(new.undo_ended_at, new.ended_at), coalesce(new.undo_ended_at, new.ended_at),
    ${jsonText(
      engine,
      sql`'action', case new.state when 'done' then 'dismissal.finished' else 'dismissal.undo_finished' end,
        'actor', ${object}('kind', 'system', 'id', null, 'name', null, 'credentialID', null),
        'address', null, 'requestID', null,
        'target', ${object}('kind', 'dismissal', 'id', new.id, 'name', null), 'before', null,
        'after', case new.state
          when 'done' then ${object}('errorsCount', new.errors_count, 'agentsCount', new.agents_count)
          else ${object}('reopenedCount', new.reopened_count, 'equalOpenCount', new.equal_open_count) end`,
    )},
    '[]')`;
}
