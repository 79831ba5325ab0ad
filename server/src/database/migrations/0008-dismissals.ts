import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine } from './column-types.ts';

/**
 * Dismissals of many errors at once: jobs that run in portions. Each error that one has dismissed names it, so that it can be
 * undone. `dismissal_agents` holds the agents that a job has counted.
 */
export async function addDismissals(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, text, integer } = columnTypes(engine);
  const isSqlite = engine === 'sqlite';
  // On SQLite, errors hold an integer in place of the id.
  const key = isSqlite ? sql`key integer primary key autoincrement,` : sql``;
  const end = isSqlite ? sql`strict` : sql``;
  const statements = [
    sql`create table dismissals (
      ${key}
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
    ) ${end}`,
    sql`create index dismissals_by_project on dismissals (project_id, id)`,
    sql`create index dismissals_unfinished on dismissals (id) where state in ('running', 'undoing')`,
    sql`create table dismissal_agents (
      dismissal_id ${id} not null,
      agent_id ${id} not null,
      primary key (dismissal_id, agent_id)
    ) ${isSqlite ? sql`strict, without rowid` : sql``}`,
    ...(isSqlite ? sqliteStatements : postgresStatements),
  ];
  for (const statement of statements) await statement.execute(db);
}

const sqliteStatements: readonly RawBuilder<unknown>[] = [
  sql`alter table agent_error_rows add column dismissal integer`,
  sql`create index agent_error_rows_of_dismissal on agent_error_rows (dismissal) where dismissal is not null`,
  sql`drop view agent_errors`,
  sql`create view agent_errors as
    select agents.id as agent_id, ${idOf('rows')} as id, projects.id as project_id, error, epoch,
      ${uuidOf('rows.config_id')} as config_id, ${timeOf('rows')} as created_at, rows.occurrences, rows.last_seen_at,
      rows.dismissed_at, dismiss_reason, dismissed_by_kind, dismissed_by_id,
      error_groups.id as group_id, superseded_at, is_muted, dismissals.id as dismissal_id
    from agent_error_rows as rows
    join id_keys as agents on agents.key = rows.agent_key
    join id_keys as projects on projects.key = rows.project_key
    left join agent_error_groups as error_groups on error_groups.key = rows.error_group
    left join dismissals on dismissals.key = rows.dismissal`,
];

const postgresStatements: readonly RawBuilder<unknown>[] = [
  sql`alter table agent_errors add column dismissal_id uuid`,
  sql`create index agent_errors_of_dismissal on agent_errors (dismissal_id, id) where dismissal_id is not null`,
];

function timeOf(rows: string): RawBuilder<unknown> {
  const [place, rest] = [sql.ref(`${rows}.place`), sql.ref(`${rows}.id_rest`)];
  return sql`((${place} - (${rest} >> 55) >> 19) - ((${rest} >> 42) & 8191))`;
}

function idOf(rows: string): RawBuilder<unknown> {
  const [place, rest, time] = [sql.ref(`${rows}.place`), sql.ref(`${rows}.id_rest`), timeOf(rows)];
  const sequence = sql`((((${rest} >> 42) & 8191) << 19) | (${place} - (${rest} >> 55) & 524287))`;
  return sql`printf('%08x-%04x-7%03x-%04x-%012x', ${time} >> 16, ${time} & 65535, ${sequence} >> 20,
    32768 | (${sequence} >> 6 & 16383), (${sequence} & 63) << 42 | (${rest} & 4398046511103))`;
}

function uuidOf(bytes: string): RawBuilder<unknown> {
  const part = (from: number, length: number) =>
    sql`substr(lower(hex(${sql.ref(bytes)})), ${sql.lit(from)}, ${sql.lit(length)})`;
  return sql`case when ${sql.ref(bytes)} is not null then ${part(1, 8)} || '-' || ${part(9, 4)} || '-'
    || ${part(13, 4)} || '-' || ${part(17, 4)} || '-' || ${part(21, 12)} end`;
}
