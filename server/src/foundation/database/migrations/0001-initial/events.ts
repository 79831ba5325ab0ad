import { type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from '../column-types.ts';
import { partOfProject } from './counting-partitions.ts';

/**
 * Events, and what they are made from.
 *
 * Triggers append what happens to `event_changes`, in the transaction that does it. The one consumer of the changes of errors turns both into `events` and
 * numbers them, so that the numbers are in the order of the commits.
 */
export function eventTables(engine: Engine): readonly RawBuilder<unknown>[] {
  const { id, text, integer } = columnTypes(engine);
  const options = tableOptions(engine);
  const isSqlite = engine === 'sqlite';
  const part = isSqlite
    ? sql``
    : sql`,
      ${partOfProject}`;
  return [
    sql`create table events (
      project_id ${id} not null,
      sequence ${integer} not null,
      type ${text} not null,
      data ${text} not null,
      created_at ${integer} not null,
      primary key (project_id, sequence)
    ) ${options}`,
    sql`create index events_by_time on events (created_at)`,
    // The last number that was given in a project, and the last one whose event was removed.
    sql`create table event_sequences (
      project_id ${id} not null primary key,
      last_sequence ${integer} not null,
      removed_through ${integer} not null
    ) ${options}`,
    // When the last event about created errors of a group was written, and the errors since then that wait for the next one.
    sql`create table event_folds (
      group_id ${id} not null primary key,
      project_id ${id} not null,
      written_at ${integer} not null,
      waiting ${integer} not null,
      newest_id ${id}${part}
    ) ${options}`,
    sql`create index event_folds_waiting on event_folds (${isSqlite ? sql`` : sql`part, `}group_id) where waiting > 0`,
    engine === 'sqlite'
      ? sql`create table event_changes (
          key integer primary key,
          project_id text not null,
          type text not null,
          data text not null
        ) strict`
      : sql`create table event_changes (
          key bigint generated always as identity,
          project_id uuid not null,
          type text not null,
          data text not null,
          ${partOfProject},
          primary key (part, key)
        ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,
  ];
}
