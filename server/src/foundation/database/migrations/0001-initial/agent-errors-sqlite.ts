import { type RawBuilder, sql } from 'kysely';
import { idAtPlaceSql, idOfBytesSql, timeAtPlaceSql } from '../../id-place.ts';
import { insertChangeOnSqlite, kind } from './agent-error-changes.ts';

/**
 * On SQLite, errors lie in the order of time and name their agent and project by small integers. `agent_errors` is a view with the columns of the
 * table on PostgreSQL except for the digest.
 *
 * `place`, `id_rest`: see id-place.ts. `digest`: the first 48 bits of the SHA-256 of the text, so that equal texts have equal digests, and not the other
 * way round. `is_muted`: 1 if it was stored as dismissed since its group was muted. The text comes last: it may reach into pages of its own, which
 * nobody has to read for the other columns.
 */
export function agentErrorTablesOnSqlite(): readonly RawBuilder<unknown>[] {
  return [...tables, ...indexes, ...triggers, view];
}

const tables: readonly RawBuilder<unknown>[] = [
  sql`create table id_keys (
    key integer primary key autoincrement,
    id text not null unique
  ) strict`,
  sql`create table agent_error_rows (
    place integer not null primary key,
    id_rest integer not null,
    agent_key integer not null,
    project_key integer not null,
    epoch integer not null,
    digest integer not null,
    config_id blob,
    occurrences integer not null,
    last_seen_at integer not null,
    error_group integer,
    superseded_at integer,
    is_muted integer,
    dismissed_at integer,
    dismissed_by_kind text,
    dismissed_by_id text,
    dismiss_reason text,
    dismissal integer,
    error text not null
  ) strict`,
];

const indexes: readonly RawBuilder<unknown>[] = [
  // The ignore rule, the status of agents, and the open errors of an agent.
  sql`create index agent_error_rows_open on agent_error_rows (agent_key, epoch, digest)
    where dismissed_at is null`,
  sql`create index agent_error_rows_dismissed on agent_error_rows (agent_key)
    where dismissed_at is not null`,
  sql`create index agent_error_rows_by_project on agent_error_rows (project_key)`,
  sql`create index agent_error_rows_by_dismissal on agent_error_rows (dismissed_at)
    where dismissed_at is not null`,
  sql`create index agent_error_rows_by_group on agent_error_rows (error_group) where error_group is not null`,
  // Together they lead to what is open; a new error is in the first alone.
  sql`create index agent_error_rows_current_by_project on agent_error_rows (project_key)
    where dismissed_at is null and superseded_at is null`,
  sql`create index agent_error_rows_superseded_by_project on agent_error_rows (project_key)
    where dismissed_at is null and superseded_at is not null`,
  sql`create index agent_error_rows_superseded on agent_error_rows (superseded_at)
    where dismissed_at is null and superseded_at is not null`,
  sql`create index agent_error_rows_muted on agent_error_rows (agent_key, epoch, digest)
    where is_muted is not null`,
  sql`create index agent_error_rows_of_dismissal on agent_error_rows (dismissal) where dismissal is not null`,
];

/** What a row adds to the counts of its group while it is there. */
const countsOf = (row: 'old' | 'new', sign = ''): RawBuilder<unknown> =>
  sql.raw(
    `${sign}(${row}.dismissed_at is null), ${sign}(${row}.dismissed_at is not null), ${sign}${row}.occurrences`,
  );

/** None after an insert: see agent_error_changes. */
const triggers: readonly RawBuilder<unknown>[] = [
  sql`create trigger agent_error_rows_removed after delete on agent_error_rows
    when old.error_group is not null
    begin
      ${insertChangeOnSqlite} values (
        ${kind('removed')}, old.error_group, old.agent_key, old.epoch, old.place,
        ${countsOf('old', '-')}, null);
    end`,
  sql`create trigger agent_error_rows_dismissed after update of dismissed_at on agent_error_rows
    when new.error_group = old.error_group and (old.dismissed_at is null) <> (new.dismissed_at is null)
    begin
      ${insertChangeOnSqlite} values (
        case when new.dismissed_at is null then ${kind('reopened')} else ${kind('dismissed')} end,
        new.error_group, new.agent_key, new.epoch, new.place,
        case when new.dismissed_at is null then 1 else -1 end,
        case when new.dismissed_at is null then -1 else 1 end, 0,
        case when new.dismissed_by_kind = 'system' then null else new.dismissed_at end);
    end`,
  sql`create trigger agent_error_rows_repeated after update of occurrences on agent_error_rows
    when new.error_group = old.error_group and old.occurrences <> new.occurrences
    begin
      ${insertChangeOnSqlite} values (
        ${kind('repeated')}, new.error_group, new.agent_key, new.epoch, null,
        0, 0, new.occurrences - old.occurrences, new.last_seen_at);
    end`,
  sql`create trigger agent_error_rows_moved after update of error_group on agent_error_rows
    when old.error_group is not new.error_group
    begin
      ${insertChangeOnSqlite} select
        ${kind('moved')}, old.error_group, old.agent_key, old.epoch, old.place,
        ${countsOf('old', '-')}, null
        where old.error_group is not null;
      ${insertChangeOnSqlite} select
        ${kind('moved')}, new.error_group, new.agent_key, new.epoch, new.place,
        ${countsOf('new')}, new.last_seen_at
        where new.error_group is not null;
    end`,
];

const view = sql`create view agent_errors as
  select agents.id as agent_id, ${sql.raw(idAtPlaceSql)} as id, projects.id as project_id, error, epoch,
    ${sql.raw(idOfBytesSql('config_id'))} as config_id, ${sql.raw(timeAtPlaceSql)} as created_at,
    rows.occurrences, rows.last_seen_at,
    rows.dismissed_at, dismiss_reason, dismissed_by_kind, dismissed_by_id,
    error_groups.id as group_id, superseded_at, is_muted, dismissals.id as dismissal_id
  from agent_error_rows as rows
  join id_keys as agents on agents.key = rows.agent_key
  join id_keys as projects on projects.key = rows.project_key
  left join agent_error_groups as error_groups on error_groups.key = rows.error_group
  left join dismissals on dismissals.key = rows.dismissal`;
