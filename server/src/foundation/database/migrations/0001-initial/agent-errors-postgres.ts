import { type RawBuilder, sql } from 'kysely';
import { insertChangesOnPostgres, kind } from './agent-error-changes.ts';

/**
 * On PostgreSQL, errors are keyed by project and id, which is the order of time, so that a new error is appended to all indexes but one. Each unique
 * index but that of muted errors contains the project, by which a distributed database could shard.
 */
export function agentErrorTablesOnPostgres(): readonly RawBuilder<unknown>[] {
  return [table, ...indexes, ...triggers];
}

const table = sql`create table agent_errors (
  agent_id uuid not null,
  id uuid not null,
  project_id uuid not null,
  error text not null,
  error_digest bytea not null,
  epoch bigint not null,
  config_id uuid,
  created_at bigint not null,
  occurrences bigint not null,
  last_seen_at bigint not null,
  dismissed_at bigint,
  dismiss_reason text,
  dismissed_by_kind text,
  dismissed_by_id uuid,
  group_id uuid,
  superseded_at bigint,
  is_muted bigint,
  dismissal_id uuid,
  constraint agent_errors_key primary key (project_id, id)
)`;

const indexes: readonly RawBuilder<unknown>[] = [
  // The ignore rule: one open error for each agent, configuration and text.
  sql`create unique index agent_errors_standing on agent_errors (agent_id, epoch, error_digest, project_id)
    where dismissed_at is null`,
  sql`create index agent_errors_dismissed on agent_errors (agent_id, id) where dismissed_at is not null`,
  // With a condition of its own, so that it is taken for retention alone. Vacuumed while no error was dismissed, it counts as empty: reading all of it
  // would look cheaper than a look-up in the index above.
  sql`create index agent_errors_expiring on agent_errors (dismissed_at) where dismissed_at > 0`,
  // For questions that name the project, and for no others, for the same reason: that a project is named implies the second condition, and nothing else
  // does. The column is never null.
  sql`create index agent_errors_open_by_project on agent_errors (project_id, id)
    where dismissed_at is null and project_id is not null`,
  sql`create index agent_errors_superseded_by_project on agent_errors (project_id, id)
    where dismissed_at is null and superseded_at is not null and project_id is not null`,
  sql`create index agent_errors_superseded on agent_errors (superseded_at)
    where dismissed_at is null and superseded_at is not null`,
  sql`create index agent_errors_by_id on agent_errors (id)`,
  sql`create index agent_errors_by_group on agent_errors (group_id, id) where group_id is not null`,
  sql`create index agent_errors_of_dismissal on agent_errors (dismissal_id, id) where dismissal_id is not null`,
  sql`create unique index agent_errors_muted on agent_errors (agent_id, epoch, error_digest)
    where is_muted is not null`,
];

const openOf = (at: string): RawBuilder<unknown> => sql.raw(`(${at} is null)::integer`);
const doneOf = (at: string): RawBuilder<unknown> => sql.raw(`(${at} is not null)::integer`);

/** For each statement: one for each row would make the repeats of a storm wait. */
const triggers: readonly RawBuilder<unknown>[] = [
  sql`create function note_created_agent_errors() returns trigger language plpgsql as $$
    begin
      ${insertChangesOnPostgres}
      select case when group_id is null then ${kind('ungrouped')} else ${kind('created')} end,
        group_id, project_id, agent_id, epoch, id,
        ${openOf('changed.dismissed_at')}, ${doneOf('changed.dismissed_at')}, occurrences, last_seen_at
      from changed order by id;
      return null;
    end $$`,
  sql`create trigger agent_errors_created after insert on agent_errors
    referencing new table as changed for each statement execute function note_created_agent_errors()`,

  sql`create function note_removed_agent_errors() returns trigger language plpgsql as $$
    begin
      ${insertChangesOnPostgres}
      select ${kind('removed')}, group_id, project_id, agent_id, epoch, id,
        -${openOf('changed.dismissed_at')}, -${doneOf('changed.dismissed_at')}, -occurrences, null
      from changed where group_id is not null order by id;
      return null;
    end $$`,
  sql`create trigger agent_errors_removed after delete on agent_errors
    referencing old table as changed for each statement execute function note_removed_agent_errors()`,

  // A full join, which PostgreSQL never does as a nested loop. A session keeps the plan from the first call, when the changed rows were few: with a nested
  // loop, an update of 10,000 rows would compare each with all others.
  sql`create function note_changed_agent_errors() returns trigger language plpgsql as $$
    begin
      with changed as materialized (
        select project_id, id, after.agent_id, after.epoch, after.last_seen_at, after.dismissed_by_kind,
          before.group_id as old_group, before.dismissed_at as old_dismissed_at, before.occurrences as old_occurrences,
          after.group_id as new_group, after.dismissed_at as new_dismissed_at, after.occurrences as new_occurrences
        from before full join after using (project_id, id)
      )
      ${insertChangesOnPostgres}
      select change.kind, change.group_id, changed.project_id, changed.agent_id, changed.epoch, changed.id,
        change.opened, change.dismissed, change.occurrences, change.seen_at
      from changed
      cross join lateral (
        select ${kind('moved')}, old_group, -${openOf('old_dismissed_at')}, -${doneOf('old_dismissed_at')},
          -old_occurrences, null::bigint
        where old_group is distinct from new_group and old_group is not null
        union all
        select ${kind('moved')}, new_group, ${openOf('new_dismissed_at')}, ${doneOf('new_dismissed_at')},
          new_occurrences, last_seen_at
        where old_group is distinct from new_group and new_group is not null
        union all
        select case when new_dismissed_at is null then ${kind('reopened')} else ${kind('dismissed')} end, new_group,
          ${openOf('new_dismissed_at')} - ${openOf('old_dismissed_at')},
          ${doneOf('new_dismissed_at')} - ${doneOf('old_dismissed_at')}, 0,
          case when dismissed_by_kind = 'system' then null else new_dismissed_at end
        where old_group = new_group and (old_dismissed_at is null) <> (new_dismissed_at is null)
        union all
        select ${kind('repeated')}, new_group, 0, 0, new_occurrences - old_occurrences, last_seen_at
        where old_group = new_group and old_occurrences <> new_occurrences
      ) as change (kind, group_id, opened, dismissed, occurrences, seen_at)
      order by changed.id;
      return null;
    end $$`,
  sql`create trigger agent_errors_changed after update on agent_errors
    referencing old table as before new table as after
    for each statement execute function note_changed_agent_errors()`,
];
