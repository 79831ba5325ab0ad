import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../column-types.ts';
import { countingPartitionTables, partOfProject } from './counting-partitions.ts';

/** What has happened to an error, or to its agent; see `errorChangeKinds`. */
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

export const kind = (name: keyof typeof kinds): RawBuilder<unknown> => sql.lit(kinds[name]);

/**
 * Triggers append each change that matters to a count to `agent_error_changes`, in the transaction that makes it, so that no statement can be forgotten.
 * One consumer applies them (`errors/groups/counting/`).
 */
export function agentErrorChangeTables(engine: Engine): readonly RawBuilder<unknown>[] {
  return engine === 'sqlite' ? sqliteTables : postgresTables;
}

/** The statement of a trigger: the agent has another configuration. */
export function noteOfConfiguredAgent(engine: Engine): RawBuilder<unknown> {
  return engine === 'sqlite'
    ? sql`${insertChangeOnSqlite} select
        ${kind('configurationChanged')}, null, key, new.epoch, null, 0, 0, 0, null
        from id_keys where id = new.id`
    : sql`${insertChangesOnPostgres}
      values (${kind('configurationChanged')}, null, new.project_id, new.id, new.epoch, null, 0, 0, 0, null)`;
}

export const insertChangeOnSqlite = sql`insert into agent_error_changes
  (kind, group_key, agent_key, epoch, place, opened, dismissed, occurrences, seen_at)`;

export const insertChangesOnPostgres = sql`insert into agent_error_changes
  (kind, group_id, project_id, agent_id, epoch, error_id, opened, dismissed, occurrences, seen_at)`;

const sqliteTables: readonly RawBuilder<unknown>[] = [
  // `errors`: a batch of reports appends one row for all errors that it stores. A trigger that appended one for each made an insert a third more
  // expensive: it also makes SQLite keep copies of pages for each statement.
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
    seen_at integer,
    errors blob
  ) strict`,
  // How far errors are grouped by the rules of this version: one row.
  sql`create table agent_error_grouping (
    id integer not null primary key,
    fold_version integer not null,
    last_place integer not null,
    is_done integer not null
  ) strict`,
  sql`insert into agent_error_grouping (id, fold_version, last_place, is_done) values (1, 0, 0, 1)`,
];

const firstID = sql.lit('00000000-0000-0000-0000-000000000000');

const postgresTables: readonly RawBuilder<unknown>[] = [
  ...countingPartitionTables,
  sql`create table agent_error_changes (
    key bigint generated always as identity,
    kind smallint not null,
    group_id uuid,
    project_id uuid not null,
    agent_id uuid not null,
    epoch bigint not null,
    error_id uuid,
    opened integer not null,
    dismissed integer not null,
    occurrences bigint not null,
    seen_at bigint,
    ${partOfProject},
    primary key (part, key)
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
    values (1, 0, ${firstID}, ${firstID}, 1)`,
];
