import { type RawBuilder, sql } from 'kysely';
import { stagesOf } from './rollout-stages.ts';
import type { RolloutRow } from './rollout-store.ts';
import type { GroupCounts } from './stage-evidence.ts';

export type Side = keyof GroupCounts;

export const isAlive = sql`status in ('healthy', 'unhealthy')`;

/** The last stage for agents that are not in it. */
export function stageOfAgent({ id, stages }: RolloutRow): RawBuilder<unknown> {
  const last = stagesOf({ stages }).length - 1;
  return sql`coalesce((select rollout_agents.stage from rollout_agents
        where rollout_id = ${id} and rollout_agents.agent_id = fleet_agents.agent_id), ${sql.lit(last)})`;
}

/** An agent that says that it has the version although no open stage gave it to it. It is no evidence, neither for nor against the version, or it could stop every rollout of its fleet. */
export function isOutOfTurn(rollout: RolloutRow): RawBuilder<unknown> {
  const isLast = rollout.stage === stagesOf(rollout).length - 1;
  // Of agents that ask with the id of their fleet, it is not known which stage gave it to them.
  return isLast
    ? sql`1 = 0`
    : sql`(fleet_agents.handle is not null and ${stageOfAgent(rollout)} > ${sql.lit(rollout.stage)})`;
}

/**
 * Each agent of the fleet, with what it shows, but for those that have the version out of turn. A deleted one has no status. What is known of few agents only is looked up for these alone, since a fleet can have
 * a hundred thousand.
 *
 * @param condition of the rows of `fleet_agents`; absent: all agents of the fleet
 */
export function seats(rollout: RolloutRow, condition = sql`true`): RawBuilder<unknown> {
  const { project_id, fleet_id, to_seconds, stage, started_at } = rollout;
  return sql`
    select fleet_agents.agent_id,
      case when applied_seconds <> ${to_seconds} or applied_seconds is null then 'control'
        when ${stageOfAgent(rollout)} < ${sql.lit(stage)} then 'earlier' else 'stage' end as side,
      case when ${stageOfAgent(rollout)} < ${sql.lit(stage)} then 1 else 0 end as is_earlier,
      case when offered_seconds = ${to_seconds} then 1 else 0 end as is_offered,
      case when applied_seconds = ${to_seconds} then 1 else 0 end as is_applied,
      coalesce(downloaded_seconds, case when handle is null then applied_seconds end, 0) as downloaded_seconds, downloaded_at,
      coalesce(offered_at, ${started_at}) as offered_at, coalesce(confirmed_at, downloaded_at) as applied_at,
      status,
      case when status = 'offline' then (select offline_at ${sign}) end as offline_at,
      case when status = 'unhealthy' then (select failed_at ${sign}) end as failed_at
    from fleet_agents
    join agent_states on agent_states.project_id = fleet_agents.project_id
      and agent_states.agent_id = fleet_agents.agent_id
    where fleet_agents.project_id = ${project_id} and fleet_agents.fleet_id = ${fleet_id} and ${condition}
      and not (coalesce(applied_seconds, 0) = ${to_seconds} and ${isOutOfTurn(rollout)})`;
}

/** What is known of the signs of life of an agent of `fleet_agents`. */
export const sign = sql`from agent_signs where agent_signs.project_id = fleet_agents.project_id
        and agent_signs.agent_id = fleet_agents.agent_id`;
