import { type RawBuilder, sql } from 'kysely';

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

const transitionTables = {
  insert: sql`new table as added`,
  update: sql`old table as before new table as after`,
  delete: sql`old table as removed`,
};

/** Their agents may have another status. */
const notePairs = (event: keyof typeof changedPairs): readonly RawBuilder<unknown>[] => {
  const called = sql.raw(`note_${event}_of_agent_error_pairs`);
  return [
    sql`create function ${called}() returns trigger language plpgsql set enable_seqscan = off as $$
      begin
        insert into agent_changes (project_id, agent_id)
        select distinct error_groups.project_id, changed.agent_id
        from (${changedPairs[event]}) as changed
        cross join lateral (
          select project_id from agent_error_groups where id = changed.group_id limit 1) as error_groups;
        return null;
      end $$`,
    sql`create trigger ${sql.raw(`agent_error_pairs_state_${event}`)}
      after ${sql.raw(event)} on agent_error_group_agents
      referencing ${transitionTables[event]} for each statement execute function ${called}()`,
  ];
};

const countsOf = (rows: string, sign: string): RawBuilder<unknown> =>
  sql.raw(`select project_id, ${sign}current_errors as current_errors, ${sign}superseded_errors as superseded_errors,
    ${sign}(current_errors > 0)::integer as open_groups from ${rows}`);

/**
 * Triggers that count what the folder writes.
 *
 * A session keeps the plan of a trigger's statement from the first call, when the changed rows were few and tables perhaps empty. With a nested loop of
 * the rows before and after, an update of 10,000 rows compared each with all others, and never ended within the time limit. So no plan of these
 * statements can be quadratic: rows before and after are added up, or joined by a full join, which PostgreSQL never does as a nested loop; and a group
 * is looked up by its index, however small its table was.
 */
export const countedOnPostgres: readonly RawBuilder<unknown>[] = [
  ...(['insert', 'update', 'delete'] as const).flatMap(notePairs),
  sql`create function count_agent_error_groups() returns trigger language plpgsql as $$
    begin
      insert into project_counts as known (project_id, current_errors, superseded_errors, open_groups)
      select * from (
        select project_id, sum(current_errors)::bigint as current_errors,
          sum(superseded_errors)::bigint as superseded_errors, sum(open_groups) as open_groups
        from (${countsOf('before', '-')} union all ${countsOf('after', '')}) as counts
        group by project_id
      ) as change
      where current_errors <> 0 or superseded_errors <> 0 or open_groups <> 0
      order by project_id
      on conflict (project_id) do update
      set current_errors = known.current_errors + excluded.current_errors,
        superseded_errors = known.superseded_errors + excluded.superseded_errors,
        open_groups = known.open_groups + excluded.open_groups;
      return null;
    end $$`,
  sql`create trigger agent_error_groups_counted after update on agent_error_groups
    referencing old table as before new table as after
    for each statement execute function count_agent_error_groups()`,
];
