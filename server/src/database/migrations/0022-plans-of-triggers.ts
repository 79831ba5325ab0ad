import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Engine } from './column-types.ts';

/**
 * On PostgreSQL, a session keeps the plan of a trigger's statement from the first call, when the changed rows were few and tables perhaps empty. With a
 * nested loop of the rows before and after, an update of 10,000 rows compared each with all others, and never ended within the time limit.
 *
 * So no plan of these statements can be quadratic: rows before and after are added up, or joined by a full join, which PostgreSQL never does as a
 * nested loop; and a group is looked up by its index, however small its table was.
 */
export async function keepPlansOfTriggersLinear(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return;
  const statements = [...(['insert', 'update', 'delete'] as const).map(notePairs), countGroups, noteErrors];
  for (const statement of statements) await statement.execute(db);
}

const withErrors = (rows: string): RawBuilder<unknown> =>
  sql.raw(`select group_id, agent_id from ${rows} where current_errors > 0`);

/** Pairs whose agent got its first current error of the group, or lost its last one. */
const changedPairs = {
  insert: withErrors('added'),
  // A pair that has errors before or after, but not both.
  update: sql`
    select group_id, agent_id from (${withErrors('before')} union all ${withErrors('after')}) as pair
    group by group_id, agent_id having count(*) = 1`,
  delete: withErrors('removed'),
};

const notePairs = (event: keyof typeof changedPairs): RawBuilder<unknown> => sql`
  create or replace function ${sql.id(`note_${event}_of_agent_error_pairs`)}() returns trigger
  language plpgsql set enable_seqscan = off as $$
    begin
      insert into agent_changes (project_id, agent_id)
      select distinct error_groups.project_id, changed.agent_id
      from (${changedPairs[event]}) as changed
      cross join lateral (
        select project_id from agent_error_groups where id = changed.group_id limit 1) as error_groups;
      return null;
    end $$`;

const groupCounts = (rows: string, sign: string): RawBuilder<unknown> =>
  sql.raw(`select project_id, ${sign}current_errors as current_errors, ${sign}superseded_errors as superseded_errors,
    ${sign}(current_errors > 0)::integer as open_groups from ${rows}`);

const countGroups = sql`
  create or replace function count_agent_error_groups() returns trigger language plpgsql as $$
    begin
      insert into project_counts as known (project_id, current_errors, superseded_errors, open_groups)
      select * from (
        select project_id, sum(current_errors)::bigint as current_errors,
          sum(superseded_errors)::bigint as superseded_errors, sum(open_groups) as open_groups
        from (${groupCounts('before', '-')} union all ${groupCounts('after', '')}) as counts
        group by project_id
      ) as change
      where current_errors <> 0 or superseded_errors <> 0 or open_groups <> 0
      order by project_id
      on conflict (project_id) do update
      set current_errors = known.current_errors + excluded.current_errors,
        superseded_errors = known.superseded_errors + excluded.superseded_errors,
        open_groups = known.open_groups + excluded.open_groups;
      return null;
    end $$`;

const openOf = (at: string): RawBuilder<unknown> => sql.raw(`(${at} is null)::integer`);
const doneOf = (at: string): RawBuilder<unknown> => sql.raw(`(${at} is not null)::integer`);

/** See ErrorChangeKind. */
const kinds = { dismissed: sql.lit(3), reopened: sql.lit(4), repeated: sql.lit(5), moved: sql.lit(6) };

const noteErrors = sql`
  create or replace function note_changed_agent_errors() returns trigger language plpgsql as $$
    begin
      with changed as materialized (
        select project_id, id, after.agent_id, after.epoch, after.last_seen_at,
          before.group_id as old_group, before.dismissed_at as old_dismissed_at, before.occurrences as old_occurrences,
          after.group_id as new_group, after.dismissed_at as new_dismissed_at, after.occurrences as new_occurrences
        from before full join after using (project_id, id)
      )
      insert into agent_error_changes (
        kind, group_id, project_id, agent_id, epoch, error_id, opened, dismissed, occurrences, seen_at)
      select change.kind, change.group_id, changed.project_id, changed.agent_id, changed.epoch, changed.id,
        change.opened, change.dismissed, change.occurrences, change.seen_at
      from changed
      cross join lateral (
        select ${kinds.moved}, old_group, -${openOf('old_dismissed_at')}, -${doneOf('old_dismissed_at')},
          -old_occurrences, null::bigint
        where old_group is distinct from new_group and old_group is not null
        union all
        select ${kinds.moved}, new_group, ${openOf('new_dismissed_at')}, ${doneOf('new_dismissed_at')},
          new_occurrences, last_seen_at
        where old_group is distinct from new_group and new_group is not null
        union all
        select case when new_dismissed_at is null then ${kinds.reopened} else ${kinds.dismissed} end, new_group,
          ${openOf('new_dismissed_at')} - ${openOf('old_dismissed_at')},
          ${doneOf('new_dismissed_at')} - ${doneOf('old_dismissed_at')}, 0, new_dismissed_at
        where old_group = new_group and (old_dismissed_at is null) <> (new_dismissed_at is null)
        union all
        select ${kinds.repeated}, new_group, 0, 0, new_occurrences - old_occurrences, last_seen_at
        where old_group = new_group and old_occurrences <> new_occurrences
      ) as change (kind, group_id, opened, dismissed, occurrences, seen_at)
      order by changed.id;
      return null;
    end $$`;
