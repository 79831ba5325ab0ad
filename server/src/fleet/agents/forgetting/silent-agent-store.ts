import { sql } from 'kysely';
import type { Database } from '../../../foundation/database/database.ts';
import { isBehindSite, type SilenceOfAgents } from '../deletion/agent-deletion-store.ts';

export interface SilentAgent {
  readonly projectID: string;
  readonly id: string;
}

/** Agents that were last heard before a time, and whose sites have delivered what they were sent, in the order of their projects and ids. */
export async function listSilentAgents(
  { search }: Database,
  silence: Pick<SilenceOfAgents, 'notSeenSince' | 'deliveredSince'>,
  after: SilentAgent | undefined,
  limit: number,
): Promise<SilentAgent[]> {
  const behind =
    after === undefined
      ? sql``
      : sql`and (states.project_id, states.agent_id) > (${after.projectID}, ${after.id})`;
  const { rows } = await sql<SilentAgent>`
    select states.project_id as "projectID", states.agent_id as id
    from agent_states as states
    left join agent_signs as signs on signs.project_id = states.project_id and signs.agent_id = states.agent_id
    where coalesce(signs.seen_at, 0) < ${silence.notSeenSince} and not ${isBehindSite(silence)} ${behind}
      and (
        select agents.last_seen_at from agents
        where agents.id = states.agent_id and agents.deleted_at is null
      ) < ${silence.notSeenSince}
    order by states.project_id, states.agent_id limit ${limit}`.execute(search);
  return rows;
}
