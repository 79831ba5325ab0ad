import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../../foundation/database/tables.ts';
import { type GroupCounts, noGroupCounts } from './error-changes.ts';

/**
 * Marks and counts the open errors of the agents' earlier configurations as superseded. Returns the changes to the counts of groups.
 */
export async function supersedeErrors(
  trx: Kysely<Tables>,
  agentIDs: readonly string[],
  now: number,
): Promise<Map<string, GroupCounts>> {
  if (agentIDs.length === 0) return new Map();
  const { rows } = await sql<{
    group_id: string;
    errors: number;
    agents: number;
    newly_superseded: number;
  }>`
    with due as materialized (
      select e.project_id, e.agent_id, e.id, e.group_id, agents.epoch as agent_epoch
      from unnest(${agentIDs}::uuid[]) as wanted (id)
      cross join lateral (select * from agents where agents.id = wanted.id limit 1) as agents
      join agent_errors as e on e.agent_id = agents.id and e.epoch < agents.epoch
      where e.dismissed_at is null and e.superseded_at is null
      order by e.agent_id, e.id
      for no key update of e
    ), marked as (
      update agent_errors as e set superseded_at = ${now}
      from due where e.project_id = due.project_id and e.id = due.id
      returning e.project_id, e.agent_id, e.group_id, due.agent_epoch
    ), before as materialized (
      select marked.project_id, marked.agent_epoch, pair.*
      from (select distinct * from marked where group_id is not null) as marked
      cross join lateral (
        select * from agent_error_group_agents as pair
        where pair.group_id = marked.group_id and pair.agent_id = marked.agent_id limit 1
      ) as pair
      where pair.epoch < marked.agent_epoch
    ), moved as (
      update agent_error_group_agents as pair
      set epoch = before.agent_epoch, current_errors = 0,
        superseded_errors = before.superseded_errors + before.current_errors
      from before where pair.group_id = before.group_id and pair.agent_id = before.agent_id
    ), noted as (
      insert into agent_changes (project_id, agent_id)
      select distinct project_id, agent_id from before where current_errors > 0
    )
    select group_id, sum(current_errors)::bigint as errors, count(*) as agents,
      count(*) filter (where superseded_errors = 0) as newly_superseded
    from before where current_errors > 0 group by group_id`.execute(trx);
  return new Map(
    rows.map(({ group_id: groupID, errors, agents, newly_superseded }) => [
      groupID,
      {
        ...noGroupCounts(),
        currentErrors: -errors,
        supersededErrors: errors,
        currentAgents: -agents,
        supersededAgents: newly_superseded,
      },
    ]),
  );
}
