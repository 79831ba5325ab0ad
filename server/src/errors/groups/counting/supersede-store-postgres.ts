import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../../foundation/database/tables.ts';
import { errorChangeKinds, type GroupCounts, noGroupCounts } from './error-changes.ts';

interface Superseded {
  /** The changes to the counts of groups. */
  readonly counts: ReadonlyMap<string, GroupCounts>;
  /** Some agents may have more of these errors. They are in the queue again. */
  readonly hasMore: boolean;
}

/**
 * Marks and counts the open errors of the agents' earlier configurations as superseded, up to `maxErrors`: an agent may have any number of them. Locks them by agent
 * and id.
 */
export async function supersedeErrors(
  trx: Kysely<Tables>,
  agentIDs: readonly string[],
  { now, maxErrors }: { readonly now: number; readonly maxErrors: number },
): Promise<Superseded> {
  if (agentIDs.length === 0) return { counts: new Map(), hasMore: false };
  const inOrder = agentIDs.toSorted();
  const { rows } = await sql<{
    marked: number;
    last_agent: string | null;
    group_id: string | null;
    errors: number;
    agents: number;
    newly_superseded: number;
  }>`
    with due as materialized (
      select e.*, agents.epoch as agent_epoch
      from unnest(${inOrder}::uuid[]) as wanted (id)
      cross join lateral (select * from agents where agents.id = wanted.id limit 1) as agents
      cross join lateral (
        select project_id, agent_id, id, group_id from agent_errors
        where agent_errors.agent_id = agents.id and agent_errors.epoch < agents.epoch
          and agent_errors.dismissed_at is null and agent_errors.superseded_at is null
        order by agent_errors.id limit ${maxErrors}
        for no key update
      ) as e
      limit ${maxErrors}
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
    select rest.*, counted.*
    from (select count(*)::integer as marked, (select agent_id from due order by agent_id desc limit 1) as last_agent from due) as rest
    left join (
      select group_id, sum(current_errors)::bigint as errors, count(*) as agents,
        count(*) filter (where superseded_errors = 0) as newly_superseded
      from before where current_errors > 0 group by group_id
    ) as counted on true`.execute(trx);
  const { marked = 0, last_agent: lastAgent = null } = rows[0] ?? {};
  const hasMore = marked >= maxErrors;
  if (hasMore)
    await queueAgain(
      trx,
      inOrder.filter((id) => lastAgent === null || id >= lastAgent),
    );
  const counts = rows.flatMap(({ group_id: groupID, errors, agents, newly_superseded }) =>
    groupID === null
      ? []
      : [
          [
            groupID,
            {
              ...noGroupCounts(),
              currentErrors: -errors,
              supersededErrors: errors,
              currentAgents: -agents,
              supersededAgents: newly_superseded,
            },
          ] as const,
        ],
  );
  return { counts: new Map(counts), hasMore };
}

async function queueAgain(trx: Kysely<Tables>, agentIDs: readonly string[]): Promise<void> {
  await sql`
    insert into agent_error_changes (kind, project_id, agent_id, epoch, opened, dismissed, occurrences)
    select ${sql.lit(errorChangeKinds.configurationChanged)}, agents.project_id, agents.id, agents.epoch, 0, 0, 0
    from unnest(${agentIDs}::uuid[]) as wanted (id)
    cross join lateral (select * from agents where agents.id = wanted.id limit 1) as agents`.execute(trx);
}
