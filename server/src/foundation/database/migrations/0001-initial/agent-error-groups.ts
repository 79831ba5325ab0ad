import { type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine } from '../column-types.ts';
import { jsonText, rowTrigger } from './row-trigger.ts';

/** Groups of errors with the same cause, and the pairs of a group and an agent that they are counted with. */
export function agentErrorGroupTables(engine: Engine): readonly RawBuilder<unknown>[] {
  const { id, text, integer } = columnTypes(engine);
  const isSqlite = engine === 'sqlite';
  return [
    // On SQLite, errors name their group by an integer.
    sql`create table agent_error_groups (
      ${isSqlite ? sql`key integer primary key autoincrement,` : sql``}
      id ${id} not null ${isSqlite ? sql`` : sql`primary key`},
      project_id ${id} not null,
      pattern ${text} not null,
      example ${text} not null,
      fold_version ${integer} not null,
      first_config_id ${id},
      first_seen_at ${integer} not null,
      last_seen_at ${integer} not null,
      counted_at ${integer},
      dismissed_at ${integer},
      partly_dismissed_at ${integer},
      regressed_at ${integer},
      regressed_before ${integer},
      muted_until ${integer},
      muted_at ${integer},
      mute_reason ${text},
      mute_ends_with_config ${integer},
      mute_ends_at_agents ${integer},
      muted_by_kind ${text},
      muted_by_id ${id},
      assignee_id ${id},
      note ${text},
      link ${text},
      noted_at ${integer},
      noted_by_kind ${text},
      noted_by_id ${id},
      occurrences ${integer} not null default 0,
      current_errors ${integer} not null default 0,
      superseded_errors ${integer} not null default 0,
      dismissed_errors ${integer} not null default 0,
      current_agents ${integer} not null default 0,
      superseded_agents ${integer} not null default 0,
      open_agents ${integer} not null default 0,
      dismissed_agents ${integer} not null default 0,
      agents ${integer} not null default 0
    ) ${isSqlite ? sql`strict` : sql``}`,
    ...(isSqlite ? [sql`create unique index agent_error_groups_by_id on agent_error_groups (id)`] : []),
    sql`create index agent_error_groups_by_project on agent_error_groups (project_id, last_seen_at)`,
    sql`create index agent_error_groups_by_first_seen on agent_error_groups (project_id, first_seen_at)`,
    // Few groups are muted: those that a condition ends are looked at every few seconds, and all of them after each change of a credential.
    sql`create index agent_error_groups_muted on agent_error_groups (muted_until) where muted_until is not null`,
    ...rowTrigger(engine, {
      name: 'groups_event_muted',
      function: 'note_muted_group_event',
      table: 'agent_error_groups',
      event: 'update of muted_at',
      condition: sql`new.muted_at is not null and old.muted_at is distinct from new.muted_at`,
      statements: [
        sql`insert into event_changes (project_id, type, data) values (new.project_id, 'agent_error_group.muted',
          ${jsonText(engine, sql`'groupID', new.id, 'pattern', new.pattern`)})`,
      ],
    }),
    isSqlite
      ? sql`create table agent_error_group_agents (
          group_key integer not null,
          agent_key integer not null,
          epoch integer not null,
          current_errors integer not null,
          superseded_errors integer not null,
          dismissed_errors integer not null,
          primary key (group_key, agent_key)
        ) strict, without rowid`
      : sql`create table agent_error_group_agents (
          group_id uuid not null,
          agent_id uuid not null,
          epoch bigint not null,
          current_errors bigint not null,
          superseded_errors bigint not null,
          dismissed_errors bigint not null,
          primary key (group_id, agent_id)
        )`,
  ];
}
