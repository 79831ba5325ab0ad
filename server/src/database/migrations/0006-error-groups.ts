import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Engine } from './column-types.ts';

/**
 * Groups of errors with the same cause, and what they are counted with.
 *
 * Triggers append each change that matters to a count to `agent_error_changes`, in the transaction that makes it, so that no
 * statement can be forgotten, nor an older version that runs beside this one. One consumer applies them (the folder).
 */
export async function addErrorGroups(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const statements = engine === 'sqlite' ? sqliteStatements : postgresStatements;
  for (const statement of statements) await statement.execute(db);
}

/** `kind`: what has happened to an error, or to its agent; see ErrorChangeKind. */
const kinds = {
  created: 1,
  removed: 2,
  dismissed: 3,
  reopened: 4,
  repeated: 5,
  moved: 6,
  configurationChanged: 7,
  ungrouped: 8,
};

const kind = (name: keyof typeof kinds): RawBuilder<unknown> => sql.lit(kinds[name]);

/** The same columns on both engines, but for the ids of the groups and of their agents. */
const groupColumns = ({ id, text, integer }: Readonly<Record<'id' | 'text' | 'integer', string>>) =>
  sql.raw(`
    id ${id} not null,
    project_id ${id} not null,
    pattern ${text} not null,
    example ${text} not null,
    fold_version ${integer} not null,
    first_config_id ${id},
    first_seen_at ${integer} not null,
    last_seen_at ${integer} not null,
    counted_at ${integer},
    dismissed_at ${integer},
    regressed_at ${integer},
    muted_until ${integer},
    muted_at ${integer},
    mute_reason ${text},
    muted_by_kind ${text},
    muted_by_id ${id},
    occurrences ${integer} not null default 0,
    current_errors ${integer} not null default 0,
    superseded_errors ${integer} not null default 0,
    dismissed_errors ${integer} not null default 0,
    current_agents ${integer} not null default 0,
    superseded_agents ${integer} not null default 0,
    open_agents ${integer} not null default 0,
    dismissed_agents ${integer} not null default 0,
    agents ${integer} not null default 0`);

/** What a row adds to the counts of its group while it is there. */
const countsOfRow = (row: string, sign = ''): RawBuilder<unknown> =>
  sql.raw(
    `${sign}(${row}.dismissed_at is null), ${sign}(${row}.dismissed_at is not null), ${sign}${row}.occurrences`,
  );

const insertChange = sql`insert into agent_error_changes
  (kind, group_key, agent_key, epoch, place, opened, dismissed, occurrences, seen_at)`;

const sqliteStatements: readonly RawBuilder<unknown>[] = [
  sql`create table agent_error_groups (
    key integer primary key autoincrement,
    ${groupColumns({ id: 'text', text: 'text', integer: 'integer' })}
  ) strict`,
  sql`create unique index agent_error_groups_by_id on agent_error_groups (id)`,
  sql`create index agent_error_groups_by_project on agent_error_groups (project_id, last_seen_at)`,

  sql`create table agent_error_group_agents (
    group_key integer not null,
    agent_key integer not null,
    epoch integer not null,
    current_errors integer not null,
    superseded_errors integer not null,
    dismissed_errors integer not null,
    primary key (group_key, agent_key)
  ) strict, without rowid`,

  sql`create table agent_error_changes (
    key integer primary key,
    kind integer not null,
    group_key integer,
    agent_key integer not null,
    epoch integer not null,
    place integer,
    opened integer not null,
    dismissed integer not null,
    occurrences integer not null,
    seen_at integer
  ) strict`,

  // How far the errors from before are grouped: one row.
  sql`create table agent_error_grouping (
    id integer not null primary key,
    fold_version integer not null,
    last_place integer not null,
    is_done integer not null
  ) strict`,
  sql`insert into agent_error_grouping (id, fold_version, last_place, is_done)
    select 1, 0, 0, not exists (select 1 from agent_error_rows)`,

  sql`alter table agent_error_rows add column error_group integer`,
  sql`alter table agent_error_rows add column superseded_at integer`,
  // 1: stored as dismissed since its group was muted.
  sql`alter table agent_error_rows add column is_muted integer`,
  sql`create index agent_error_rows_by_group on agent_error_rows (error_group) where error_group is not null`,
  // Together they lead to what is open; a new error is in the first alone.
  sql`create index agent_error_rows_current_by_project on agent_error_rows (project_key)
    where dismissed_at is null and superseded_at is null`,
  sql`create index agent_error_rows_superseded_by_project on agent_error_rows (project_key)
    where dismissed_at is null and superseded_at is not null`,
  sql`drop index agent_error_rows_open_by_project`,
  sql`create index agent_error_rows_superseded on agent_error_rows (superseded_at)
    where dismissed_at is null and superseded_at is not null`,
  sql`create index agent_error_rows_muted on agent_error_rows (agent_key, epoch, digest)
    where is_muted is not null`,

  sql`create trigger agent_error_rows_created after insert on agent_error_rows
    begin
      ${insertChange} values (
        case when new.error_group is null then ${kind('ungrouped')} else ${kind('created')} end,
        new.error_group, new.agent_key, new.epoch, new.place,
        ${countsOfRow('new')}, new.last_seen_at);
    end`,
  sql`create trigger agent_error_rows_removed after delete on agent_error_rows
    when old.error_group is not null
    begin
      ${insertChange} values (
        ${kind('removed')}, old.error_group, old.agent_key, old.epoch, old.place,
        ${countsOfRow('old', '-')}, null);
    end`,
  sql`create trigger agent_error_rows_dismissed after update of dismissed_at on agent_error_rows
    when new.error_group = old.error_group and (old.dismissed_at is null) <> (new.dismissed_at is null)
    begin
      ${insertChange} values (
        case when new.dismissed_at is null then ${kind('reopened')} else ${kind('dismissed')} end,
        new.error_group, new.agent_key, new.epoch, new.place,
        case when new.dismissed_at is null then 1 else -1 end,
        case when new.dismissed_at is null then -1 else 1 end, 0, new.dismissed_at);
    end`,
  sql`create trigger agent_error_rows_repeated after update of occurrences on agent_error_rows
    when new.error_group = old.error_group and old.occurrences <> new.occurrences
    begin
      ${insertChange} values (
        ${kind('repeated')}, new.error_group, new.agent_key, new.epoch, null,
        0, 0, new.occurrences - old.occurrences, new.last_seen_at);
    end`,
  sql`create trigger agent_error_rows_moved after update of error_group on agent_error_rows
    when old.error_group is not new.error_group
    begin
      ${insertChange} select
        ${kind('moved')}, old.error_group, old.agent_key, old.epoch, old.place,
        ${countsOfRow('old', '-')}, null
        where old.error_group is not null;
      ${insertChange} select
        ${kind('moved')}, new.error_group, new.agent_key, new.epoch, new.place,
        ${countsOfRow('new')}, new.last_seen_at
        where new.error_group is not null;
    end`,
  sql`create trigger agents_configured after update of epoch on agents
    when old.epoch <> new.epoch
    begin
      ${insertChange} select
        ${kind('configurationChanged')}, null, key, new.epoch, null, 0, 0, 0, null
        from id_keys where id = new.id;
    end`,

  sql`drop view agent_errors`,
  sql`create view agent_errors as
    select agents.id as agent_id, ${idOf('rows')} as id, projects.id as project_id, error, epoch,
      ${uuidOf('rows.config_id')} as config_id, ${timeOf('rows')} as created_at, rows.occurrences, rows.last_seen_at,
      rows.dismissed_at, dismiss_reason, dismissed_by_kind, dismissed_by_id,
      error_groups.id as group_id, superseded_at, is_muted
    from agent_error_rows as rows
    join id_keys as agents on agents.key = rows.agent_key
    join id_keys as projects on projects.key = rows.project_key
    left join agent_error_groups as error_groups on error_groups.key = rows.error_group`,
];

const firstID = sql.lit('00000000-0000-0000-0000-000000000000');

const insertChanges = sql`insert into agent_error_changes
  (kind, group_id, project_id, agent_id, epoch, error_id, opened, dismissed, occurrences, seen_at)`;

const openOf = (row: string): RawBuilder<unknown> => sql.raw(`(${row}.dismissed_at is null)::integer`);
const doneOf = (row: string): RawBuilder<unknown> => sql.raw(`(${row}.dismissed_at is not null)::integer`);

const postgresStatements: readonly RawBuilder<unknown>[] = [
  sql`create table agent_error_groups (
    ${groupColumns({ id: 'uuid', text: 'text', integer: 'bigint' })},
    primary key (id)
  )`,
  sql`create index agent_error_groups_by_project on agent_error_groups (project_id, last_seen_at)`,

  sql`create table agent_error_group_agents (
    group_id uuid not null,
    agent_id uuid not null,
    epoch bigint not null,
    current_errors bigint not null,
    superseded_errors bigint not null,
    dismissed_errors bigint not null,
    primary key (group_id, agent_id)
  )`,

  sql`create table agent_error_changes (
    key bigint generated always as identity primary key,
    kind smallint not null,
    group_id uuid,
    project_id uuid not null,
    agent_id uuid not null,
    epoch bigint not null,
    error_id uuid,
    opened integer not null,
    dismissed integer not null,
    occurrences bigint not null,
    seen_at bigint
  ) with (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0
  )`,

  sql`create table agent_error_grouping (
    id bigint not null primary key,
    fold_version bigint not null,
    last_project_id uuid not null,
    last_id uuid not null,
    is_done bigint not null
  )`,
  sql`insert into agent_error_grouping (id, fold_version, last_project_id, last_id, is_done)
    select 1, 0, ${firstID}, ${firstID},
      case when exists (select 1 from agent_errors) then 0 else 1 end`,

  sql`alter table agent_errors add column group_id uuid`,
  sql`alter table agent_errors add column superseded_at bigint`,
  sql`alter table agent_errors add column is_muted bigint`,
  sql`create index agent_errors_by_group on agent_errors (group_id, id) where group_id is not null`,
  sql`create index agent_errors_superseded_by_project on agent_errors (project_id, id)
    where dismissed_at is null and superseded_at is not null and project_id is not null`,
  sql`create index agent_errors_superseded on agent_errors (superseded_at)
    where dismissed_at is null and superseded_at is not null`,
  sql`create unique index agent_errors_muted on agent_errors (agent_id, epoch, error_digest)
    where is_muted is not null`,

  sql`create function note_created_agent_errors() returns trigger language plpgsql as $$
    begin
      ${insertChanges}
      select case when group_id is null then ${kind('ungrouped')} else ${kind('created')} end,
        group_id, project_id, agent_id, epoch, id, ${openOf('changed')}, ${doneOf('changed')}, occurrences, last_seen_at
      from changed order by id;
      return null;
    end $$`,
  sql`create trigger agent_errors_created after insert on agent_errors
    referencing new table as changed for each statement execute function note_created_agent_errors()`,

  sql`create function note_removed_agent_errors() returns trigger language plpgsql as $$
    begin
      ${insertChanges}
      select ${kind('removed')}, group_id, project_id, agent_id, epoch, id,
        -${openOf('changed')}, -${doneOf('changed')}, -occurrences, null
      from changed where group_id is not null order by id;
      return null;
    end $$`,
  sql`create trigger agent_errors_removed after delete on agent_errors
    referencing old table as changed for each statement execute function note_removed_agent_errors()`,

  // For each statement: one for each row would make the repeats of a storm wait.
  sql`create function note_changed_agent_errors() returns trigger language plpgsql as $$
    begin
      ${insertChanges}
      select change.kind, change.group_id, after.project_id, after.agent_id, after.epoch, after.id,
        change.opened, change.dismissed, change.occurrences, change.seen_at
      from before join after using (project_id, id)
      cross join lateral (
        select ${kind('moved')}, before.group_id, -${openOf('before')}, -${doneOf('before')},
          -before.occurrences, null::bigint
        where before.group_id is distinct from after.group_id and before.group_id is not null
        union all
        select ${kind('moved')}, after.group_id, ${openOf('after')}, ${doneOf('after')},
          after.occurrences, after.last_seen_at
        where before.group_id is distinct from after.group_id and after.group_id is not null
        union all
        select case when after.dismissed_at is null then ${kind('reopened')} else ${kind('dismissed')} end,
          after.group_id, ${openOf('after')} - ${openOf('before')}, ${doneOf('after')} - ${doneOf('before')},
          0, after.dismissed_at
        where before.group_id = after.group_id
          and (before.dismissed_at is null) <> (after.dismissed_at is null)
        union all
        select ${kind('repeated')}, after.group_id, 0, 0,
          after.occurrences - before.occurrences, after.last_seen_at
        where before.group_id = after.group_id and before.occurrences <> after.occurrences
      ) as change (kind, group_id, opened, dismissed, occurrences, seen_at)
      order by after.id;
      return null;
    end $$`,
  sql`create trigger agent_errors_changed after update on agent_errors
    referencing old table as before new table as after
    for each statement execute function note_changed_agent_errors()`,

  sql`create function note_configured_agent() returns trigger language plpgsql as $$
    begin
      ${insertChanges}
      values (${kind('configurationChanged')}, null, new.project_id, new.id, new.epoch, null, 0, 0, 0, null);
      return null;
    end $$`,
  sql`create trigger agents_configured after update of epoch on agents
    for each row when (old.epoch <> new.epoch) execute function note_configured_agent()`,
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
