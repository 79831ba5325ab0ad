import { arrayLiteral } from '../../foundation/database/postgres/array-literal.ts';
import type { PostgresPool } from '../../foundation/database/postgres/postgres-pool.ts';
import {
  idsAround,
  minuteMilliseconds,
  type NewErrorLimits,
  secondMilliseconds,
  shareOfCause,
  timesAround,
} from '../limits/new-error-limits.ts';
import type { DigestedReport, LimitName } from '../report.ts';
import { agentOfInputSql, reportArrays, reportArraysSql, reportColumns } from './insert-new-postgres.ts';

export interface Decision {
  readonly outcome:
    | 'created'
    | 'open'
    | 'unseen'
    | 'credential_changed'
    | 'agent_not_found'
    | 'agent_deleted'
    | LimitName;
  readonly id: string | null;
  readonly created_at: number | null;
  /** Absent: only open errors were looked for. */
  readonly is_muted?: boolean;
}

export type DecisionRow = Decision & {
  readonly position: number;
  /** Null if the statement did not count for this report. */
  readonly open_count: number | null;
  readonly new_of_agent: number | null;
  readonly open_of_cause: number | null;
  readonly new_of_cause: number | null;
};

/** What the statement needs beside the columns of the reports, in the order of its placeholders. */
const parameters = [
  'isProjectFull',
  'openPerAgent',
  'openOfCause',
  'newPerAgent',
  'newOfCause',
  'newPerProject',
  'firstOfAgent',
  'endOfAgent',
  'fromOfAgent',
  'toOfAgent',
  'firstOfProject',
  'endOfProject',
  'dismissReason',
] as const;

type Parameter = (typeof parameters)[number];

/** The placeholder of each. */
const place = Object.fromEntries(
  parameters.map((name, index) => [name, `$${reportColumns.length + index + 1}`]),
) as Readonly<Record<Parameter, string>>; // one for each name

/**
 * Counts the errors of an agent, once for all of its reports: those that are open, and new ones of the last minute, by their cause.
 *
 * Of an open error the time is compared, not the id, and of a dismissed one agent and id together, so that no
 * statistics can make an index by id look as good as the one by agent. The orders keep it from reading the whole table where
 * few agents have nearly all errors.
 */
const countsOfAgentSql = `
  select coalesce(sum(open_count), 0) as open_count, coalesce(sum(new_count), 0) as new_of_agent,
    coalesce(max(open_count), 0) as open_of_cause, coalesce(max(new_count), 0) as new_of_cause,
    array_agg(group_id) as groups, array_agg(open_count) as open_counts, array_agg(new_count) as new_counts
  from (
    select group_id, count(*) filter (where is_open) as open_count, count(*) filter (where is_new) as new_count
    from (
      (select e.group_id, true as is_open, e.created_at >= ${place.fromOfAgent}::bigint and e.created_at < ${place.toOfAgent}::bigint as is_new
      from agent_errors as e
      where (${place.openPerAgent}::bigint > 0 or ${place.newPerAgent}::bigint > 0) and e.agent_id = agents.agent_id and e.dismissed_at is null
      order by e.epoch, e.error_digest limit nullif(${place.openPerAgent}, 0))
      union all
      (select e.group_id, false, true from agent_errors as e
      where e.dismissed_at is not null
        and (e.agent_id, e.id) >= (agents.agent_id, ${place.firstOfAgent}::uuid) and (e.agent_id, e.id) < (agents.agent_id, ${place.endOfAgent}::uuid)
      order by e.agent_id desc, e.id desc limit ${place.newPerAgent})
    ) as counted
    group by group_id
  ) as of_group`;

/**
 * `live` locks the agents' rows until the commit, so that no agent is deleted meanwhile, and a later removal of its errors sees all of them. It waits
 * only for a deletion.
 *
 * Look-ups are lateral queries of one row. The plan of a join would depend on statistics, and on a table that was never analyzed or has grown since,
 * it would scan the whole table.
 *
 * Rows are inserted in the order of their key, so that replicas that insert the same ones cannot deadlock.
 * New errors within the batch count too: for the agent only those that the limits of a cause accept, and for the project only those that the limits of
 * their agent accept, so that what is refused does not reduce the room of others.
 *
 * A report of a muted group is stored as dismissed, so that it takes no room among open errors. An equal open error comes before one that was stored so.
 * Batches without such reports do not pay for it: 4 to 10 % of the statement.
 */
const decideSqlWith = (ofMuted: (part: string) => string) => `
  with input as materialized (
    select *
    from unnest(${reportArraysSql}, ${place.isProjectFull}::boolean[]${ofMuted(`, ${place.dismissReason}::text[]`)}) with ordinality
      as t (${reportColumns.join()}, is_project_full${ofMuted(', dismiss_reason')}, position)
  ), target as materialized (
    select input.*, input.generation = credential_changes.generation as is_admitted,
      agents.id as found_id, agents.epoch, agents.config_id, agents.deleted_at,
      coalesce(open_error.id${ofMuted(', muted_error.id')}) as open_id,
      coalesce(open_error.created_at${ofMuted(', muted_error.created_at')}) as open_created_at
      ${ofMuted(', muted_error.id is not null as is_muted')}
    from input
    cross join credential_changes
    left join lateral (${agentOfInputSql}) as agents on true
    left join lateral (
      select e.id, e.created_at from agent_errors as e
      where e.agent_id = agents.id and e.epoch = agents.epoch
        and e.error_digest = input.error_digest and e.dismissed_at is null
      limit 1) as open_error on true
    ${ofMuted(`left join lateral (
      select e.id, e.created_at from agent_errors as e
      where open_error.id is null and input.dismiss_reason is not null
        and e.agent_id = agents.id and e.epoch = agents.epoch
        and e.error_digest = input.error_digest and e.is_muted is not null
      limit 1) as muted_error on true`)}
  ), live as materialized (
    select input.*
    from target as input
    join lateral (${agentOfInputSql}
      for key share) as agent on agent.deleted_at is null
    where is_admitted and found_id is not null and input.deleted_at is null and open_id is null
  ), of_agents as materialized (
    select agents.agent_id, of_agent.*
    from (select distinct agent_id from live) as agents cross join lateral (${countsOfAgentSql}) as of_agent
  ), counted as materialized (
    select live.*, of_agents.*,
      coalesce(open_counts[array_position(groups, group_id)], 0)
        + 1 + count(*) ${ofMuted('filter (where dismiss_reason is null)')}
          over (of_group rows between unbounded preceding and 1 preceding) as open_of_group,
      coalesce(new_counts[array_position(groups, group_id)], 0)
        + row_number() over of_group as new_of_group,
      case when ${place.newPerProject}::bigint = 0 then 0 else (select count(*) from (
        select 1 from agent_errors as e
        where e.project_id = live.project_id and e.id >= ${place.firstOfProject}::uuid and e.id < ${place.endOfProject}::uuid limit ${place.newPerProject}) as counted) end as new_of_project
    from live cross join lateral (
      select open_count, new_of_agent, open_of_cause, new_of_cause, groups, open_counts, new_counts
      from of_agents where of_agents.agent_id = live.agent_id) as of_agents
    window of_group as (partition by agent_id, group_id order by position)
  ), within_cause as materialized (
    select counted.*,
      case
        when ${place.openOfCause}::bigint > 0 and open_of_group > ${place.openOfCause} then 'openOfCause'
        when ${place.newOfCause}::bigint > 0 and new_of_group > ${place.newOfCause} then 'newOfCausePerMinute'
      end as limit_of_cause
    from counted
  ), fresh as materialized (
    select within_cause.*,
      1 + count(*) filter (where limit_of_cause is null)
        over (partition by agent_id order by position rows between unbounded preceding and 1 preceding) as rank_of_agent,
      1 + count(*) filter (where limit_of_cause is null${ofMuted(' and dismiss_reason is null')})
        over (partition by agent_id order by position rows between unbounded preceding and 1 preceding) as open_rank_of_agent
    from within_cause
  ), within_agent as materialized (
    select fresh.*,
      case
        when is_project_full then 'storedBytesPerProject'
        when ${place.openPerAgent} > 0 and open_count + open_rank_of_agent > ${place.openPerAgent} then 'openPerAgent'
        when ${place.newPerAgent} > 0 and new_of_agent + rank_of_agent > ${place.newPerAgent} then 'newPerAgentPerMinute'
      end as limit_of_agent
    from fresh
  ), admitted as materialized (
    select within_agent.*,
      case
        when limit_of_agent is not null then limit_of_agent
        when ${place.newPerProject} > 0 and new_of_project + 1
          + count(*) filter (where limit_of_agent is null and limit_of_cause is null)
            over (partition by project_id order by position rows between unbounded preceding and 1 preceding)
          > ${place.newPerProject} then 'newPerProjectPerSecond'
        else limit_of_cause
      end as limited_by
    from within_agent
  ), inserted as (
    insert into agent_errors (
      agent_id, id, project_id, error, error_digest, epoch, config_id, created_at, occurrences, last_seen_at,
      group_id${ofMuted(', dismissed_at, dismiss_reason, dismissed_by_kind, is_muted')}
    )
    select agent_id, id, project_id, error, error_digest, epoch, config_id, created_at, 1, created_at, group_id
      ${ofMuted(`, case when dismiss_reason is not null then created_at end, dismiss_reason,
      case when dismiss_reason is not null then 'system' end,
      case when dismiss_reason is not null then 1 end`)}
    from admitted
    where limited_by is null
    order by agent_id, error_digest
    on conflict do nothing
    returning id, created_at${ofMuted(', is_muted is not null as is_muted')}
  )
  select
    (target.position - 1)::integer as position,
    coalesce(target.open_id, inserted.id) as id,
    coalesce(target.open_created_at, inserted.created_at) as created_at,
    admitted.open_count::integer as open_count,
    admitted.new_of_agent::integer as new_of_agent,
    admitted.open_of_cause::integer as open_of_cause,
    admitted.new_of_cause::integer as new_of_cause,
    ${ofMuted('target.is_muted or coalesce(inserted.is_muted, false) as is_muted,')}
    case
      when not target.is_admitted then 'credential_changed'
      when target.found_id is null then 'agent_not_found'
      when target.deleted_at is not null then 'agent_deleted'
      when target.open_id is not null then 'open'
      when inserted.id is not null then 'created'
      else coalesce(admitted.limited_by, 'unseen')
    end as outcome
  from target
  left join admitted on admitted.position = target.position
  left join inserted on inserted.id = target.id`;

const decideSql = decideSqlWith(() => '');
const decideMutedSql = decideSqlWith((part) => part);

/** Says of each report whether it is stored, equal to an open error, or why it is refused. */
export async function decideReports(
  pool: PostgresPool,
  limits: NewErrorLimits,
  reports: readonly DigestedReport[],
): Promise<DecisionRow[]> {
  const now = Math.max(...reports.map(({ createdAt }) => createdAt));
  const [firstOfAgent, endOfAgent] = idsAround(now, minuteMilliseconds);
  const [fromOfAgent, toOfAgent] = timesAround(now, minuteMilliseconds);
  const [firstOfProject, endOfProject] = idsAround(now, secondMilliseconds);
  const values: Readonly<Record<Parameter, unknown>> = {
    isProjectFull: arrayLiteral(reports.map(({ isProjectFull = false }) => isProjectFull)),
    openPerAgent: limits.openPerAgent,
    openOfCause: shareOfCause(limits.openPerAgent),
    newPerAgent: limits.newPerAgentPerMinute,
    newOfCause: shareOfCause(limits.newPerAgentPerMinute),
    newPerProject: limits.newPerProjectPerSecond,
    firstOfAgent,
    endOfAgent,
    fromOfAgent,
    toOfAgent,
    firstOfProject,
    endOfProject,
    dismissReason: reports.map(({ dismissReason = null }) => dismissReason),
  };
  // The last parameter is of the second statement alone.
  const given = [...reportArrays(reports), ...parameters.map((name) => values[name])];
  const hasMuted = reports.some(({ dismissReason }) => dismissReason !== undefined);
  return hasMuted
    ? pool.query<DecisionRow & Record<string, unknown>>(decideMutedSql, given, 'store-muted-reports')
    : pool.query<DecisionRow & Record<string, unknown>>(decideSql, given.slice(0, -1), 'store-reports');
}
