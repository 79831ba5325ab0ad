import { type Kysely, sql } from 'kysely';
import { waitingIn } from '../../../foundation/database/counting-partition.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { GroupRow, GroupTally } from './counted-group.ts';
import { errorChangeKinds as kinds } from './error-changes.ts';

/** A group of the applied changes, with the changes to its counts. */
export interface AppliedGroup extends GroupRow, Omit<GroupTally, 'firstAt' | 'seenAt' | 'newestErrorID'> {
  /** False: it is not stored yet, or its pattern is unknown. */
  readonly is_known: boolean;
  readonly first_at: number | null;
  readonly seen_at: number | null;
  readonly newest_id: string | null;
  readonly current_change: number;
  readonly superseded_change: number;
  readonly dismissed_change: number;
  readonly current_agents: number;
  readonly superseded_agents: number;
  readonly open_agents: number;
  readonly dismissed_agents: number;
  readonly agents: number;
}

/**
 * The kind of a change, what it has opened, whether the agent still runs the configuration of the error (1) or not (0), whether it had an error of the group before that
 * somebody had dismissed, and when it happened.
 */
export type AppliedChange = readonly [
  kind: number,
  opened: number,
  isCurrent: 0 | 1,
  hasConfiguration: 0 | 1,
  hadDismissed: 0 | 1,
  at: number | null,
];

interface TakenChanges {
  readonly part: number;
  readonly changes: number;
  /** The greatest key. */
  readonly last: number;
}

export interface AppliedChanges {
  readonly count: number;
  /** Of each partition that had some. */
  readonly taken: readonly TakenChanges[];
  /** Errors that have no group yet, with their projects in the same order. */
  readonly ungrouped: { readonly projectIDs: readonly string[]; readonly errorIDs: readonly string[] };
  /** Agents that have another configuration, or got open errors of an earlier one. */
  readonly agentIDs: readonly string[];
  /** By id. */
  readonly groups: readonly AppliedGroup[];
  /** By group, in their order: only of groups in which it matters. */
  readonly ordered: Readonly<Record<string, readonly AppliedChange[]>>;
}

/**
 * Takes the changes with the lowest keys from the queue, up to `maxChanges` of each partition, and applies them to the pairs of groups and agents. Notes the agents that got their first current
 * error of a group, or lost the last one. The groups are left to the caller, with a row for each.
 *
 * It is one statement, so that the changes are read once, and neither they nor the pairs go to the service and back. What `changePair` and `addPairChange`
 * do on SQLite is done in its expressions.
 *
 * Nothing in it joins two sets of changed rows, because a plan made for few of them would compare each with all others: they are added up, or each is
 * looked up by an index.
 */
export async function applyTakenChanges(
  trx: Kysely<Tables>,
  partitions: readonly number[],
  maxChanges: number,
  floorOf: (partition: number) => number,
): Promise<AppliedChanges> {
  // Not in a storm, whose portions have one partition: the changes are read once more for it.
  const byPartition =
    partitions.length === 1
      ? sql`null::json`
      : sql`(select json_agg(of_part) from (
          select part, count(*) as changes, max(key) as last from taken group by part
        ) as of_part)`;
  const { rows } = await sql<{
    count: number;
    last: number | null;
    taken: TakenChanges[] | null;
    configured: string[] | null;
    late: string[] | null;
    ungrouped_projects: string[] | null;
    ungrouped_errors: string[] | null;
    groups: AppliedGroup[] | null;
    ordered: AppliedChanges['ordered'] | null;
  }>`
    with taken as materialized (
      select waiting.* from ${waitingIn('agent_error_changes', partitions, maxChanges, floorOf)}
    ), removed as (
      -- A third less than to let it return the rows.
      delete from agent_error_changes where ctid = any(array(select place from taken))
    ), by_epoch as (
      select group_id, agent_id, epoch, sum(opened)::integer as opened, sum(dismissed)::integer as dismissed,
        -- One that was dismissed in the same portion has no mark either.
        bool_or(kind = ${sql.lit(kinds.reopened)}) as is_reopened
      from taken where group_id is not null and kind not in (${sql.lit(kinds.repeated)}, ${sql.lit(kinds.outlived)}, ${sql.lit(kinds.undone)})
      group by group_id, agent_id, epoch
    ), by_pair as (
      select group_id, agent_id, sum(opened) as opened, sum(dismissed) as dismissed,
        -- Of the last configuration among them.
        max(array[epoch, opened::bigint]) as last,
        min(epoch) filter (where opened > 0 or is_reopened) as first_opened
      from by_epoch
      group by group_id, agent_id
    ), pairs as materialized (
      select change.group_id, change.agent_id, agent.project_id, before.place, after.epoch,
        change.first_opened < after.epoch as is_late,
        coalesce(before.current_errors, 0) as old_current, coalesce(before.superseded_errors, 0) as old_superseded,
        coalesce(before.dismissed_errors, 0) as old_dismissed,
        kept.current_errors + added.current_errors as current_errors,
        coalesce(before.current_errors + before.superseded_errors, 0) - kept.current_errors
          + change.opened - added.current_errors as superseded_errors,
        coalesce(before.dismissed_errors, 0) + change.dismissed as dismissed_errors
      from by_pair as change
      left join lateral (
        select ctid as place, * from agent_error_group_agents as pair
        where pair.group_id = change.group_id and pair.agent_id = change.agent_id limit 1
      ) as before on true
      left join lateral (
        select agents.epoch, agents.project_id from agents where agents.id = change.agent_id limit 1
      ) as agent on true
      cross join lateral (select greatest(before.epoch, agent.epoch, change.last[1]) as epoch) as after
      cross join lateral (
        select case when before.epoch = after.epoch then before.current_errors else 0 end as current_errors
      ) as kept
      cross join lateral (
        select case when change.last[1] = after.epoch then change.last[2] else 0 end as current_errors
      ) as added
    ), written as (
      insert into agent_error_group_agents (
        group_id, agent_id, epoch, current_errors, superseded_errors, dismissed_errors
      )
      select group_id, agent_id, epoch, current_errors, superseded_errors, dismissed_errors from pairs
      where current_errors + superseded_errors + dismissed_errors > 0
      on conflict (group_id, agent_id) do update
      set epoch = excluded.epoch, current_errors = excluded.current_errors,
        superseded_errors = excluded.superseded_errors, dismissed_errors = excluded.dismissed_errors
    ), emptied as (
      delete from agent_error_group_agents where ctid = any(array(
        select place from pairs
        where place is not null and current_errors + superseded_errors + dismissed_errors = 0))
    ), noted as (
      insert into agent_changes (project_id, agent_id)
      select distinct project_id, agent_id from pairs
      where (old_current > 0) <> (current_errors > 0) and project_id is not null
    ), tallied as (
      select group_id, project_id, sum(occurrences) as occurrences,
        count(*) filter (where kind = ${sql.lit(kinds.created)} and opened = 1) as created,
        count(*) filter (where kind = ${sql.lit(kinds.created)} and opened = 0) as muted,
        count(*) filter (where kind = ${sql.lit(kinds.dismissed)}) as dismissed,
        count(*) filter (where kind = ${sql.lit(kinds.reopened)}) as reopened,
        count(*) filter (where kind in (${sql.lit(kinds.outlived)}, ${sql.lit(kinds.undone)})) as dismissals,
        min(seen_at) filter (where kind = ${sql.lit(kinds.created)}) as first_at,
        max(seen_at) filter (where kind not in (${sql.lit(kinds.dismissed)}, ${sql.lit(kinds.undone)})) as seen_at,
        max(error_id::text collate "C") filter (where kind = ${sql.lit(kinds.created)} and opened = 1) as newest_id,
        0 as current_change, 0 as superseded_change, 0 as dismissed_change, 0 as current_agents,
        0 as superseded_agents, 0 as open_agents, 0 as dismissed_agents, 0 as agents
      from taken where group_id is not null
      group by group_id, project_id
      union all
      select group_id, null, 0, 0, 0, 0, 0, 0, null, null, null,
        sum((current_errors - old_current)::integer), sum((superseded_errors - old_superseded)::integer),
        sum((dismissed_errors - old_dismissed)::integer), sum((current_errors > 0)::integer - (old_current > 0)::integer),
        sum((superseded_errors > 0)::integer - (old_superseded > 0)::integer),
        sum((current_errors + superseded_errors > 0)::integer - (old_current + old_superseded > 0)::integer),
        sum((dismissed_errors > 0)::integer - (old_dismissed > 0)::integer),
        sum((current_errors + superseded_errors + dismissed_errors > 0)::integer - (place is not null)::integer)
      from pairs
      group by group_id
    ), counted as materialized (
      select change.*, error_group.counted_at, error_group.dismissed_at, error_group.partly_dismissed_at,
        error_group.regressed_at, error_group.regressed_before, error_group.first_seen_at,
        coalesce(error_group.current_errors, 0) as current_errors, coalesce(error_group.pattern <> '', false) as is_known
      from (
        select group_id as id, (array_agg(project_id) filter (where project_id is not null))[1] as project_id,
          sum(occurrences) as occurrences, sum(created) as created, sum(muted) as muted,
          sum(dismissed) as dismissed, sum(reopened) as reopened, sum(dismissals) as dismissals, min(first_at) as first_at, max(seen_at) as seen_at,
          max(newest_id) as newest_id, sum(current_change) as current_change,
          sum(superseded_change) as superseded_change, sum(dismissed_change) as dismissed_change,
          sum(current_agents) as current_agents, sum(superseded_agents) as superseded_agents,
          sum(open_agents) as open_agents, sum(dismissed_agents) as dismissed_agents, sum(agents) as agents
        from tallied
        group by group_id
      ) as change
      left join lateral (
        select * from agent_error_groups where agent_error_groups.id = change.id limit 1
      ) as error_group on true
    ), in_order as (
      select group_id, json_agg(
        json_build_array(kind, opened, is_current::integer, has_configuration::integer, had_dismissed::integer, seen_at)
        order by key) as changes
      from (
        select change.group_id, change.key, change.kind, change.opened, change.seen_at,
          coalesce(change.epoch >= pair.epoch, true) as is_current,
          coalesce(change.epoch >= greatest(pair.epoch, agent.epoch), true) as has_configuration,
          coalesce(pair.dismissed_errors, 0) + coalesce(sum(change.dismissed) over (
            partition by change.group_id, change.agent_id order by change.key
            rows between unbounded preceding and 1 preceding), 0) > 0
            -- Only a new error can have come back, and not one that the service has dismissed.
            and change.opened = 1 and exists (
              select 1 from agent_errors
              -- In a form that leads to the errors of the agent alone, and not to all of its group.
              where agent_errors.agent_id = change.agent_id and agent_errors.dismissed_at is not null
                and coalesce(agent_errors.group_id) = change.group_id
                and agent_errors.dismissed_by_kind <> 'system' and agent_errors.dismissed_at <= change.seen_at) as had_dismissed
        from taken as change
        left join lateral (
          select epoch, dismissed_errors from agent_error_group_agents as pair
          where pair.group_id = change.group_id and pair.agent_id = change.agent_id limit 1
        ) as pair on true
        left join lateral (select epoch from agents where agents.id = change.agent_id limit 1) as agent on true
        -- Not as joins: see above.
        where change.kind <> ${sql.lit(kinds.repeated)} and (
          (change.group_id in (
            select id from counted
            where dismissed + dismissals > 0 or (dismissed_at is not null and created + reopened > 0))) is true
          -- Of a group that was dismissed in part, only what may have come back: agents without a dismissed error may be many.
          or (pair.dismissed_errors > 0 and change.group_id in (
            select id from counted where partly_dismissed_at is not null and created > 0)) is true)
      ) as change
      group by group_id
    )
    select sums.*,
      (select array_agg(agent_id) from pairs where is_late) as late,
      (select json_agg(counted order by id) from counted) as groups,
      ${byPartition} as taken,
      (select json_object_agg(group_id, changes) from in_order) as ordered
    from (
      select count(*)::integer as count, max(key) as last,
        array_agg(agent_id) filter (where kind = ${sql.lit(kinds.configurationChanged)}) as configured,
        array_agg(project_id) filter (where kind = ${sql.lit(kinds.ungrouped)}) as ungrouped_projects,
        array_agg(error_id) filter (where kind = ${sql.lit(kinds.ungrouped)}) as ungrouped_errors
      from taken
    ) as sums`.execute(trx);
  const [row] = rows;
  return {
    count: row?.count ?? 0,
    taken: row?.taken ?? [{ part: partitions[0] ?? 0, changes: row?.count ?? 0, last: row?.last ?? 0 }],
    ungrouped: { projectIDs: row?.ungrouped_projects ?? [], errorIDs: row?.ungrouped_errors ?? [] },
    agentIDs: [...new Set([...(row?.late ?? []), ...(row?.configured ?? [])])],
    groups: row?.groups ?? [],
    ordered: row?.ordered ?? {},
  };
}
